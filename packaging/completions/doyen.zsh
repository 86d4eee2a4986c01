#compdef doyen doyend doyen-witness doyen-replay doyen-lab
# Completion for zsh. Verbs and options are those that --help names, so they are those of the
# installed programs; names are those of the members.

_doyen_options()
{
    local -a options
    options=(${(f)"$("$@" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u)"})
    compadd -a options
}

_doyen_members()
{
    local -a members
    members=(${(f)"$(doyen members --format '{name}' 2>/dev/null)"})
    compadd -a members
}

_doyen()
{
    local program=${words[1]} verb='' i
    local -a verbs

    if [[ ${program:t} == doyen ]]; then
        for ((i = 2; i < CURRENT; i++)); do
            case ${words[i]} in
            -c | --control | -u | --url | --expect-user) ((i++)) ;;
            -*) ;;
            *)
                verb=${words[i]}
                break
                ;;
            esac
        done
    fi
    case ${words[CURRENT - 1]} in
    -c | --control | --config | --hooks | --key | --make-key | --record | --reseal | --resume | --root | --state-dir | --svg)
        _files
        return
        ;;
    --coordinator | --gone | --name)
        [[ -z $verb ]] || _doyen_members
        return
        ;;
    --election) compadd oldest bully ring token-ring sequential newest bully-newest ring-newest token-ring-newest sequential-newest && return ;;
    --guard) compadd none majority strict && return ;;
    --profile) compadd local lan wan && return ;;
    --policy) compadd first oldest priority && return ;;
    --state) compadd alive silent suspect failed left moved replaced behind && return ;;
    --auth) compadd require accept && return ;;
    --best) compadd lowest highest && return ;;
    --ids) compadd drawn age && return ;;
    --starters) compadd one all && return ;;
    --sandbox) compadd on off && return ;;
    --log-level) compadd error warn info debug && return ;;
    --log-format) compadd auto text json && return ;;
    esac
    if [[ ${program:t} != doyen ]]; then
        _doyen_options $program
    elif [[ -z $verb ]]; then
        verbs=(${(f)"$($program --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')"})
        compadd -a verbs
        _doyen_options $program
    else
        case $verb in
        transfer | drain | undrain | remove | why | fault) _doyen_members ;;
        keys) compadd reload use remove ;;
        voters) compadd add remove replace set; _doyen_members ;;
        tag) compadd set unset ;;
        hook | report) _files ;;
        esac
        _doyen_options $program $verb
    fi
}

_doyen "$@"
