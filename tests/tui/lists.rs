//! Tests of the source list in a real terminal with real files: several sources at once, saved queries, and
//! imports.

use crate::term::key;
use crate::world::World;

const FILE: &str = "config/sources.toml";

/// Three commented entries in different folders.
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
fn changes_several_sources_at_once_and_undoes_it() {
    let world = World::new(&[]);
    let file = sources(&world);
    std::fs::write(world.path(FILE), &file).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("\t");
    // Sources without a folder are listed below the folders.
    t.send("\u{10}Three");
    t.wait_for("─ Find");
    t.send(key::ENTER);
    t.wait_title("Three");
    t.send("k  ");
    t.wait_until("both are selected", |s| s.matches('✓').count() == 2);
    t.send("#+news +daily");
    t.wait_for("Tags of 2 sources");
    t.send(key::ENTER);
    t.wait_for("Saved: tags of 2 sources");
    let tagged = world.read(FILE);
    assert_eq!(tagged.matches("tags = [\"news\", \"daily\"]\n").count(), 2, "{tagged}");
    assert_eq!(tagged.replace("tags = [\"news\", \"daily\"]\n", ""), file);
    t.wait_for("▸ Tags");
    // Tab completes the folder. Both entries are moved there together with their comments.
    t.send("k  MFa");
    t.wait_for("Folder for 2 sources: Fa");
    t.send("\t");
    t.wait_for("Folder for 2 sources: Far");
    t.send(key::ENTER);
    t.wait_for("Saved: folder \"Far\" of 2 sources");
    assert_eq!(world.read(FILE).matches("folder = \"Far\"").count(), 3);
    t.send("u");
    t.wait_for("Undone: folder \"Far\" of 2 sources");
    assert_eq!(world.read(FILE), tagged);
    t.send("u");
    t.wait_for("Undone: tags of 2 sources");
    assert_eq!(world.read(FILE), file);
    t.wait_gone("▸ Tags");
    // The order in the file changes, and comments move with their entries.
    t.send("\u{10}Three");
    t.wait_for("─ Find");
    t.send(key::ENTER);
    t.wait_gone("─ Find");
    t.send("\u{1b}k");
    t.wait_for(" of Three");
    t.wait_for("u undo");
    let moved = world.read(FILE);
    let at = |id: &str| moved.find(&format!("# about {id}\n[[source]] # {id}\n")).unwrap();
    assert!(at("three") < at("one") && at("one") < at("two"), "{moved}");
    t.send("u");
    t.wait_until("undone", |s| s.contains("Undone: ") && s.contains(" of Three"));
    assert_eq!(world.read(FILE), file);
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn saves_a_query_as_a_view_and_counts_it() {
    let world = World::new(&["/feed.xml"]);
    let config = "# Appearance\n[ui] # mine\nsort = \"newest\"\n";
    std::fs::write(world.path("config/config.toml"), config).unwrap();
    let mut t = world.open(100, 30);
    t.wait_for("Third article");
    t.send("/article sorce:x");
    t.wait_for("did you mean \"source:\"?");
    t.wait_for("Third article");
    t.send(key::CTRL_U);
    t.send("is:unr\t -title:second");
    t.wait_for("› Search: is:unread -title:second ");
    t.wait_for(" 2 found");
    t.send(key::ENTER);
    t.send("=");
    t.wait_for("Save as view: unread -title:second");
    t.send(key::CTRL_U);
    t.send("The others");
    t.send(key::ENTER);
    t.wait_for("Saved: view The others");
    let counted = |screen: &str, count: &str| {
        // The item list is to the right of the Sources pane.
        let rows = screen.lines().map(|line| line.chars().take(26).collect::<String>());
        let mut view = rows.filter(|row| row.contains("⌕ The others"));
        view.any(|row| row.trim_end().ends_with(count))
    };
    t.wait_until("both are counted", |screen| counted(screen, " 2"));
    let saved = world.read("config/config.toml");
    let view = "\n[[view]]\nname = \"The others\"\nquery = \"unread -title:second\"\n";
    assert_eq!(saved, format!("{config}{view}"));
    // The count is updated.
    t.send("m");
    t.wait_until("one is left", |screen| counted(screen, " 1"));
    t.send("uu");
    t.wait_for("Undone: view The others");
    t.wait_gone("⌕ The others");
    assert_eq!(world.read("config/config.toml"), config);
    t.send("\u{12}");
    t.wait_for("⌕ The others");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn previews_an_import_before_doing_it() {
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
    for (end, words) in
        [(key::ESC, "Enter items"), (key::ENTER, "1 source imported, view Linux saved")]
    {
        t.send("\u{10}All items\r");
        t.wait_title("All items");
        t.send("hi");
        t.wait_for("File to import");
        t.paste(&world.path("urls").display().to_string());
        t.send(key::ENTER);
        // Lists are written by others, so sources with private addresses are skipped.
        t.wait_for("1 view, 2 skipped, 1 already followed");
        t.send("p");
        t.wait_for("1 new, 1 view, 1 skipped, 1 already followed");
        assert_eq!(world.read(FILE), before, "nothing is changed yet");
        t.send(end);
        t.wait_gone("1 skipped, 1 already followed");
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

#[test]
fn exports_the_sources_to_a_new_file() {
    let world = World::new(&[]);
    let program = "[[source]]\nid = \"own\"\nexec = [\"true\"]\ntitle = \"Own\"\n";
    std::fs::write(world.path(FILE), sources(&world) + program).unwrap();
    let folder = world.path("lists");
    let save = format!("[save]\nfolder = \"{}\"\n", folder.display());
    std::fs::write(world.path("config/config.toml"), save).unwrap();
    let mut t = world.open(160, 30);
    t.wait_for("Third article");
    for name in ["newsfed.opml", "newsfed (2).opml"] {
        t.send(":export\r");
        t.wait_for(&format!("lists/{name}, without 1 program, file, mailbox or list"));
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text.matches("<outline type=\"rss\"").count(), 3, "{text}");
        assert!(!text.contains("Own"), "{text}");
    }
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}
