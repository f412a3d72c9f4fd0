#!/bin/sh
# Prepares a release, and publishes nothing: checks what a tag promises, and writes the tag's text.
#
#   sh scripts/release.sh v0.1.0     (CHECKS=quick: only the unit tests, not make test and make check)
#
# The checks: the version is one, and newer than the latest tag; the tree is clean; CHANGELOG.md begins with the version;
# every go.mod is tidy, and only those of programs, which nobody imports, replace the library; the tests pass. The text
# is the version's part of CHANGELOG.md, in out/release/VERSION.txt. The last lines say what to type.
set -eu
cd "$(dirname "$0")/.."
stop() { echo "release: $*" >&2; exit 1; }

version=${1-}
echo "$version" | grep -Eq '^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$' || stop "usage: release.sh vMAJOR.MINOR.PATCH"
latest=$(git tag -l 'v*' --sort=-version:refname | head -1)
[ -z "$latest" ] || [ "$(printf '%s\n%s\n' "$latest" "$version" | sort -V | tail -1)" != "$latest" ] ||
	stop "$version is not newer than $latest"
[ -z "$(git status --porcelain)" ] || stop "the tree has changes that are not committed"
major=${version%%.*}
case $major in
v0 | v1) ;;
*) go list -m | grep -q "/$major\$" || stop "the module path in go.mod needs /$major" ;;
esac

first=$(sed -n 's/^## *\([^ ,]*\).*/\1/p' CHANGELOG.md | head -1)
[ "$first" = "$version" ] || stop "CHANGELOG.md begins with $first, and not with $version"
mkdir -p out/release
text=out/release/$version.txt
{ echo "frameslice $version" && awk '/^## /{n++; next} n==1' CHANGELOG.md; } > "$text"

! grep -q '^replace' go.mod || stop "go.mod has a replace, which importers do not see"
for mod in $(git ls-files '*go.mod'); do
	(cd "$(dirname "$mod")" && go mod tidy -diff > /dev/null) || stop "$mod is not tidy: go mod tidy -diff"
done
if [ "${CHECKS-}" = quick ]; then
	make quick
else
	make test
	make check
fi

echo "release: $version may be tagged, with the text in $text"
echo "  git tag -a $version -F $text --cleanup=whitespace && git push origin $version"
