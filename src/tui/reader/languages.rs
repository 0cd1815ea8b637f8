//! The syntax of programming languages, for the lexer.

/// How the code of a language is split into tokens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Syntax {
    Code(&'static Language),
    /// HTML and XML.
    Markup,
    /// The difference between two files.
    Diff,
    Session(Session),
}

/// Commands after prompts, and their output.
#[derive(Debug, Clone, Copy)]
pub(super) enum Session {
    Shell(&'static Language),
    Python(&'static Language),
}

/// Keywords, and the delimiters of comments and strings.
#[derive(Debug)]
pub(super) struct Language {
    /// Names of the language in lower case, separated by spaces.
    names: &'static str,
    /// Line comment markers.
    pub(super) line: &'static [&'static str],
    /// Delimiters of block comments.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// Delimiters of multi-line strings.
    pub(super) long: &'static [&'static str],
    /// Whether single quotes enclose a single character.
    pub(super) characters: bool,
    /// Whether keywords are case-insensitive. In this case, `keywords` is in lower case.
    pub(super) folded: bool,
    /// The keywords, separated by spaces.
    pub(super) keywords: &'static str,
}

/// The syntax of a language by its name in lower case; `None` if it is unknown.
pub(super) fn find(name: &str) -> Option<Syntax> {
    match name {
        "html" | "xml" | "svg" | "xhtml" | "vue" | "svelte" | "markup" | "rss" | "atom" => {
            Some(Syntax::Markup)
        }
        "diff" | "patch" | "udiff" => Some(Syntax::Diff),
        "console" | "shell-session" | "shellsession" => {
            named("bash").map(|rules| Syntax::Session(Session::Shell(rules)))
        }
        "pycon" => named("python").map(|rules| Syntax::Session(Session::Python(rules))),
        _ => named(name).map(Syntax::Code),
    }
}

fn named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|l| l.names.split_ascii_whitespace().any(|n| n == name))
}

/// A language with the comment syntax of C.
const C: Language = Language {
    names: "",
    line: &["//"],
    block: Some(("/*", "*/")),
    long: &[],
    characters: true,
    folded: false,
    keywords: "",
};
/// A language with the comment syntax of a shell.
const SHELL: Language = Language { line: &["#"], block: None, characters: false, ..C };

const LANGUAGES: &[Language] = &[
    Language {
        names: "rust rs",
        keywords: "as async await break const continue crate dyn else enum extern false fn for if \
            impl in let loop match mod move mut pub ref return self Self static struct super trait \
            true type unsafe use where while bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 \
            i64 i128 isize f32 f64",
        ..C
    },
    Language {
        names: "c h cpp c++ cc hpp cxx objc objective-c cuda glsl hlsl wgsl",
        keywords: "auto bool break case catch char class const constexpr continue default delete \
            do double else enum explicit extern false float for friend goto if include define \
            ifdef ifndef endif inline int long namespace new noexcept nullptr operator private \
            protected public register return short signed sizeof static struct switch template \
            this throw true try typedef typename union unsigned using virtual void volatile while",
        ..C
    },
    Language {
        names: "java kotlin kt scala groovy csharp cs c# dart",
        long: &["\"\"\""],
        keywords: "abstract as async await boolean break byte case catch char class companion \
            const continue data def default do double else enum extends false final finally float \
            for foreach fun get if implements import in init instanceof int interface internal is \
            lazy let long match namespace new null object open operator out override package \
            private protected public readonly record return sealed set short static string super \
            suspend switch this throw throws trait true try type typeof using val var virtual void \
            volatile when where while with yield",
        ..C
    },
    Language {
        names: "go golang",
        long: &["`"],
        keywords: "break case chan const continue default defer else fallthrough false for func go \
            goto if import interface map nil package range return select struct switch true type \
            var any bool byte error float32 float64 int int32 int64 rune string uint uint8 uint32 \
            uint64",
        ..C
    },
    Language {
        names: "javascript js jsx typescript ts tsx mjs node",
        long: &["`"],
        characters: false,
        keywords: "abstract any as async await boolean break case catch class const continue \
            debugger declare default delete do else enum export extends false finally for from \
            function get if implements import in instanceof interface let namespace never new null \
            number of private protected public readonly return set static string super switch this \
            throw true try type typeof undefined unknown var void while with yield",
        ..C
    },
    Language {
        names: "swift zig v odin",
        long: &["\"\"\""],
        keywords: "actor and as async await break case catch class comptime const continue default \
            defer do else enum errdefer error export extension extern false fallthrough fileprivate \
            fn for func guard if import in init inline internal is let mutating nil null or orelse \
            override private protocol pub public repeat return self some static struct super \
            switch test throw throws true try undefined union unreachable var void where while",
        ..C
    },
    Language {
        names: "php",
        line: &["//", "#"],
        characters: false,
        keywords: "abstract and array as break case catch class clone const continue declare \
            default do echo else elseif enum extends false final finally fn for foreach function \
            global if implements include instanceof interface isset match namespace new null or \
            print private protected public readonly require require_once return static switch this \
            throw trait true try unset use var while yield",
        ..C
    },
    Language {
        names: "css scss sass less stylus",
        characters: false,
        keywords: "important media import include mixin extend keyframes font face supports layer \
            container root not is where from to",
        ..C
    },
    Language {
        names: "python py python3 ipython starlark",
        long: &["\"\"\"", "'''"],
        keywords: "and as assert async await break case class continue def del elif else except \
            False finally for from global if import in is lambda match None nonlocal not or pass \
            raise return self True try while with yield",
        ..SHELL
    },
    Language {
        names: "bash sh shell zsh fish makefile make dockerfile \
            docker",
        keywords: "alias and begin break case cd continue do done echo elif else end esac eval exec \
            exit export fi for function if in local not or read return set shift source then trap \
            unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME \
            WORKDIR",
        ..SHELL
    },
    Language {
        names: "ruby rb crystal elixir ex exs",
        long: &["\"\"\""],
        keywords: "alias and begin break case class cond def defmodule defp do else elsif end \
            ensure extend false fn for if import in include module next nil not or private raise \
            receive redo require rescue return self super then true undef unless until use when \
            while with yield",
        ..SHELL
    },
    Language {
        names: "perl pl raku r julia jl tcl nim",
        keywords: "and begin break const continue do else elseif elsif end export false FALSE for \
            foreach func function global if import in last let library local macro module mutable \
            my next not NULL or our package print proc require return set struct sub then true TRUE \
            type undef unless until use using var while",
        ..SHELL
    },
    Language {
        names: "yaml yml toml ini conf config properties nginx systemd hcl terraform tf nix",
        line: &["#", ";"],
        keywords: "true false null yes no on off let in with rec inherit if then else resource \
            variable output module provider data",
        ..SHELL
    },
    Language {
        names: "json json5 jsonc ndjson",
        characters: false,
        keywords: "true false null",
        ..C
    },
    Language {
        names: "sql mysql postgresql postgres plsql pgsql sqlite tsql psql",
        line: &["--"],
        characters: false,
        folded: true,
        keywords: "add all alter and any as asc begin between bigint boolean by case cast char check \
            column commit constraint create cross database date default delete desc distinct drop \
            else end exists explain false foreign from full function grant group having if in index \
            inner insert int integer into is join key left like limit not null numeric offset on or \
            order outer over partition primary references returning right rollback select set table \
            text then timestamp transaction trigger true union unique update using values varchar \
            view when where with",
        ..C
    },
    Language {
        names: "lua",
        line: &["--"],
        block: Some(("--[[", "]]")),
        characters: false,
        keywords: "and break do else elseif end false for function goto if in local nil not or \
            repeat return then true until while",
        ..C
    },
    Language {
        names: "haskell hs elm purescript idris",
        line: &["--"],
        block: Some(("{-", "-}")),
        keywords: "case class data deriving do else exposing family forall foreign if import in \
            infix infixl infixr instance let module newtype of port qualified then type where",
        ..C
    },
    Language {
        names: "ocaml ml fsharp fs f# sml",
        line: &["//"],
        block: Some(("(*", "*)")),
        keywords: "and as assert begin class do done downto else end exception external false for \
            fun function if in include inherit lazy let match member method module mutable new of \
            open or private rec sig struct then to true try type val when while with",
        ..C
    },
    Language {
        names: "lisp clojure clj scheme racket elisp emacs-lisp common-lisp",
        line: &[";"],
        block: None,
        keywords: "and begin case cond define def defmacro defn defun do else false fn if lambda let \
            letrec loop nil ns or quote recur require set setq true unless when",
        ..C
    },
];
