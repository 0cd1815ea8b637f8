
# Names of sources, folders, tags, views and rules. Nothing in them is run: they are compared as text,
# and inserted in quotes.
_newsfed_with_names() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} kind= name
    case $prev in
        --source) kind=sources ;;
        --folder) kind=folders ;;
        --tag) kind=tags ;;
        --view) kind=views ;;
        *)
            if [[ COMP_CWORD -ge 3 && $cur != -* ]]; then
                case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
                    "sources "*|"schedule why") kind=sources ;;
                    "views "*) kind=views ;;
                    "rules "*) kind=rules ;;
                esac
            fi
            ;;
    esac
    if [[ -z $kind ]]; then
        _newsfed "$@"
        return
    fi
    COMPREPLY=()
    while IFS= read -r name; do
        if [[ $name == "$cur"* ]]; then
            COMPREPLY+=("$(printf %q "$name")")
        fi
    done < <("$1" completions --names "$kind" 2>/dev/null)
}

complete -F _newsfed_with_names -o nosort -o bashdefault -o default newsfed
