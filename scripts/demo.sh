#!/usr/bin/env bash
# The demonstration: a copy of the sample vault is indexed, asked, edited, told of a conversation, and put back. The checkout
# stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

talk=$PWD/scripts/talk.jsonl
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R vault "$place/vault"
rm -rf "$place/vault/.memoryclaw" "$place/vault/.git"
cd "$place/vault"

for name in "${!GIT_@}"; do unset "$name"; done
export MEMORYCLAW_VAULT=$PWD HOME=$place MEMORYCLAW_NOW=2026-04-20T08:00:00Z
git init --quiet --initial-branch=main
git config user.name Nora
git config user.email nora@example.org
git add --all
git commit --quiet --message "My notes so far"

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
run() {
    printf '\n\033[32m$\033[0m %s\n' "$1"
    eval "$1"
}

say "1. A year of one studio's memory, in plain Markdown files: index it"
run 'memoryclaw sync'

say "2. Ask. Each answer says which words matched where; the terms shown add up to the score"
run 'memoryclaw search "When is the boathouse deadline?" --limit 2 --explain'
run 'memoryclaw search "Which antibiotics must she not take?" --limit 2 --explain'
run 'memoryclaw recall "What coffee does Nora drink now?" --budget 300'
run 'memoryclaw recall "What coffee does Nora drink now?" --budget 300 --trace | sed -n 13,26p'

say "3. Change one fact: one line of the file, and a commit that holds nothing else"
run 'memoryclaw edit "semantic/preferences#coffee.value" --set "value=black filter coffee"'
run 'git --no-pager log --oneline'
run 'git --no-pager show --format= --unified=0 HEAD'

say "4. Think again"
run 'memoryclaw undo $(git rev-parse --short HEAD)'
run 'git --no-pager log --oneline'
run 'memoryclaw facts coffee'

say "5. A conversation, typed as people type, is captured: appended to the logs, secrets taken out before the first byte reaches the disk"
cp "$talk" ../talk.jsonl
run $'sed -n \'s/.*"Nora", "content": "\\(.*\\)"}/\\1/p\' ../talk.jsonl'
run 'memoryclaw capture < ../talk.jsonl'

say "6. Consolidate: what was said becomes episodes, facts and dated statements, by rules, with no model"
run 'memoryclaw consolidate --llm none'
run "grep -E '^(#|- )' episodes/2026-04-19*.md"
run 'git --no-pager show --format= --unified=0 HEAD~3 -- semantic'
run 'git --no-pager show --unified=0 HEAD~2'
run 'memoryclaw recall "When is the site meeting?" --budget 200'

say "7. Where does that come from? And what is not certain waits for you"
run 'memoryclaw blame "Boathouse Aarhus.deadline"'
run 'memoryclaw review'

say "8. Take the whole night back. It stays taken back"
run 'memoryclaw undo "$(basename runs/consolidate-20260420* .json)"'
run 'memoryclaw consolidate --llm none'
run 'memoryclaw facts "Boathouse Aarhus" | grep deadline'
