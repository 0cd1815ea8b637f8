//! The list of sources in a real terminal and on real files: several at once, saved queries, imports.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/sources.toml";

/// Three entries with comments, of which one can be read.
fn sources(world: &World) -> String {
    let entry = |id: &str, path: &str, folder: &str| {
        let url = world.url(path);
        format!(
            "# about {id}\n[[source]] # {id}\nid = \"{id}\"\nurl = \"{url}\" # address\nfull_text = \"never\"\n{folder}\n"
        )
    };
    let one = entry("one", "/feed.xml", "title = \"One\"\n");
    let two = entry("two", "/feed.xml?2", "title = \"Two\"\nfolder = \"Far\" # away\n");
    let three = entry("three", "/feed.xml?3", "title = \"Three\"\n");
    format!("# Mine\n\n{one}{two}{three}# The end\n")
}

#[test]
fn several_sources_are_changed_at_once_and_taken_back() {
    let world = World::new(&[]);
    let file = sources(&world);
    std::fs::write(world.path(FILE), &file).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("\t");
    // Without a folder they stand below those with one.
    t.send("\u{10}Three");
    t.wait_for("Go to");
    t.send(key::ENTER);
    t.wait_for("Items · Three");
    t.send("k  ");
    t.wait_until("both are selected", |s| s.matches('✓').count() == 2);
    t.send("#+news +daily");
    t.wait_for("Tags of 2 sources");
    t.send(key::ENTER);
    t.wait_for("saved: tags of 2 sources");
    let tagged = world.read(FILE);
    assert_eq!(tagged.matches("tags = [\"news\", \"daily\"]\n").count(), 2, "{tagged}");
    assert_eq!(tagged.replace("tags = [\"news\", \"daily\"]\n", ""), file);
    t.wait_for("▸ Tags");
    // The folder is completed; the two go there with their comments.
    t.send("k  mFa");
    t.wait_for("Folder for 2 sources: Fa");
    t.send("\t");
    t.wait_for("Folder for 2 sources: Far");
    t.send(key::ENTER);
    t.wait_for("saved: folder of 2 sources");
    assert_eq!(world.read(FILE).matches("folder = \"Far\"").count(), 3);
    t.send("u");
    t.wait_for("undone: folder of 2 sources");
    assert_eq!(world.read(FILE), tagged);
    t.send("u");
    t.wait_for("undone: tags of 2 sources");
    assert_eq!(world.read(FILE), file);
    t.wait_gone("▸ Tags");
    // The order is changed in the file, comments and all.
    t.send("\u{10}Three");
    t.wait_for("Go to");
    t.send(key::ENTER);
    t.wait_gone("Go to");
    t.send("-");
    t.wait_for("saved: place of three");
    let moved = world.read(FILE);
    let at = |id: &str| moved.find(&format!("# about {id}\n[[source]] # {id}\n")).unwrap();
    assert!(at("three") < at("one") && at("one") < at("two"), "{moved}");
    t.send("u");
    t.wait_for("undone: place of three");
    assert_eq!(world.read(FILE), file);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn a_query_is_saved_as_a_view_and_counted() {
    let world = World::new(&["/feed.xml"]);
    let config = "# Looks\n[ui] # mine\nsort = \"newest\"\n";
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("/article sorce:x");
    t.wait_for("did you mean \"source:\"?");
    t.wait_for("Third article");
    t.send(key::CTRL_U);
    t.send("is:unr\t -title:second");
    t.wait_for("Search: is:unread -title:second (2)");
    t.send(key::ENTER);
    t.send("=");
    t.wait_for("Save this query as: unread -title:second");
    t.send(key::CTRL_U);
    t.send("The others");
    t.send(key::ENTER);
    t.wait_for("saved: view The others");
    let counted = |screen: &str, count: &str| {
        let rows = screen.lines().filter_map(|line| line.split('│').next());
        let mut view = rows.filter(|row| row.contains("⌕ The others"));
        view.any(|row| row.trim_end().ends_with(count))
    };
    t.wait_until("both are counted", |screen| counted(screen, " 2"));
    let saved = world.read("config/config.toml");
    let view = "\n[[view]]\nname = \"The others\"\nquery = \"unread -title:second\"\n";
    assert_eq!(saved, format!("{config}{view}"));
    // The count is that of now.
    t.send("m");
    t.wait_until("one is left", |screen| counted(screen, " 1"));
    t.send("uu");
    t.wait_for("undone: view The others");
    t.wait_gone("⌕ The others");
    assert_eq!(world.read("config/config.toml"), config);
    t.send("\u{12}");
    t.wait_for("⌕ The others");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn an_import_is_shown_first_and_then_made() {
    let world = World::new(&["/feed.xml"]);
    let lines = format!(
        "{}\n{} linux \"~Another\"\n\"query:Linux:tags # \\\"linux\\\"\"\nexec:~/bin/x\n",
        world.url("/feed.xml"),
        world.url("/page.html")
    );
    std::fs::write(world.path("urls"), lines).unwrap();
    let before = world.read(FILE);
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    for (end, words) in [(key::ESC, "l items"), (key::ENTER, "1 source imported, view Linux saved")]
    {
        t.send("\u{10}All items\r");
        t.wait_for("Items · All items");
        t.send("hi");
        t.wait_for("Import from file");
        t.paste(&world.path("urls").display().to_string());
        t.send(key::ENTER);
        t.wait_for("1 new, 1 saved query, 1 left out, 1 followed already");
        assert_eq!(world.read(FILE), before, "nothing is done yet");
        t.send(end);
        t.wait_gone("1 left out, 1 followed already");
        if end == key::ENTER {
            t.wait_for(words);
        }
    }
    t.wait_for("Another");
    t.wait_for("⌕ Linux");
    assert!(world.read(FILE).starts_with(&before));
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
