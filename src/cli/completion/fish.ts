export const fishCompletion = `# Completion of holdfast for fish. Load it with: holdfast completion fish | source
function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete -- $words "$current" 2>/dev/null)
    switch "$lines[1]"
        case ':files'
            __fish_complete_path "$current"
        case ':folders'
            __fish_complete_directories "$current"
        case '*'
            test (count $lines) -gt 0; and printf '%s\\n' $lines
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'
`;
