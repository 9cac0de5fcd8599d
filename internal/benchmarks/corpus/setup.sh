#!/usr/bin/env bash
# setup.sh DIR
# Makes a Python environment with the rivals in DIR, with the sources of BridgeStan and of posteriordb.
# Needs g++, git and Python 3.11 to 3.13 (another than python3: PYTHON=...). BRIDGESTAN and POSTERIORDB name
# other repositories to clone from.
set -euo pipefail

[ $# -eq 1 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)

"${PYTHON:-python3}" -m venv "$dir"
pip() { "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip -r "$here/requirements.txt"
pip --no-deps httpstan==4.13.0 # only for its Stan 2.35: headers, libraries and stanc

# clone NAME REPOSITORY: what is missing of it is no reason to stop, some mirrors lack large files.
clone() {
  [ -d "$dir/$1" ] || git clone --quiet --no-checkout "$2" "$dir/$1"
}
clone bridgestan "${BRIDGESTAN:-https://github.com/roualdes/bridgestan}"
git -C "$dir/bridgestan" checkout --quiet v2.7.0 -- src # later ones may need a later Stan
clone posteriordb "${POSTERIORDB:-https://github.com/stan-dev/posteriordb}"
for part in posteriors models/stan data/data reference_posteriors/draws/draws; do
  git -C "$dir/posteriordb" ls-tree -r --name-only HEAD "posterior_database/$part" | while read -r file; do
    git -C "$dir/posteriordb" checkout --quiet HEAD -- "$file" || echo "setup: $file is missing" >&2
  done
done
