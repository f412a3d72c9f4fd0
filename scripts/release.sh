#!/bin/sh
# Prepares a release, and publishes nothing: checks what a tag promises, and writes the tag's text.
#
#   sh scripts/release.sh v0.1.0     (CHECKS=quick: only the unit tests, not make test and make check)
#
# Three modules are published: the library, frame/autopsy and frame/ebitenhost. They use internal packages of the
# library, so they always have one version, and one commit has three tags: VERSION, frame/autopsy/VERSION and
# frame/ebitenhost/VERSION. Their go.mod must require that version, which does not exist yet as the commit is made: the
# replacements by folders let it build. The replacements stay, because an importer's build ignores them; they would only
# forbid "go install PACKAGE@VERSION", and no command is in those modules. The command cmd/framevet is a module that
# requires none of ours and replaces nothing: it is tagged, too, so that go install finds it. Other commands and tests
# that nobody imports (demo, bench, demo/hosts) are not tagged.
#
# The checks: the version is one, and newer than the latest tag; the tree is clean; CHANGELOG.md begins with the
# version; every go.mod is tidy; the library's replaces nothing; all require the version of our modules; the tests pass.
# The text is the version's part of CHANGELOG.md, in out/release/VERSION.txt. The last lines say what to type.
set -eu
cd "$(dirname "$0")/.."
stop() { echo "release: $*" >&2; exit 1; }

version=${1-}
module=$(GOWORK=off go list -m)
echo "$version" | grep -Eq '^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$' || stop "usage: release.sh vMAJOR.MINOR.PATCH"
latest=$(git tag -l 'v*' --sort=-version:refname | head -1)
[ -z "$latest" ] || [ "$(printf '%s\n%s\n' "$latest" "$version" | sort -V | tail -1)" != "$latest" ] ||
	stop "$version is not newer than $latest"
[ -z "$(git status --porcelain)" ] || stop "the tree has changes that are not committed"
major=${version%%.*}
case $major in
v0 | v1) ;;
*) echo "$module" | grep -q "/$major\$" || stop "the module path in go.mod needs /$major" ;;
esac

first=$(sed -n 's/^## *\([^ ,]*\).*/\1/p' CHANGELOG.md | head -1)
[ "$first" = "$version" ] || stop "CHANGELOG.md begins with $first, and not with $version"
mkdir -p out/release
text=out/release/$version.txt
{ echo "frameslice $version" && awk '/^## /{n++; next} n==1' CHANGELOG.md; } > "$text"

! grep -q '^replace' go.mod || stop "go.mod has a replace, and go install COMMAND@$version refuses that"
for mod in $(git ls-files '*go.mod'); do
	dir=$(dirname "$mod")
	(cd "$dir" && GOWORK=off go mod tidy -diff > /dev/null) || stop "$mod is not tidy: go mod tidy -diff"
	old=$(cd "$dir" && GOWORK=off go list -m -f '{{.Path}}@{{.Version}}' all |
		sed -n "\\#^$module.*@v#{/@$version\$/!s/@.*//p}")
	[ -z "$old" ] || stop "$mod must require our modules at $version, so type: cd $dir && GOWORK=off go mod edit" \
		"$(for m in $old; do echo "-require $m@$version"; done | tr '\n' ' ')"
done
if [ "${CHECKS-}" = quick ]; then
	make quick
else
	make test
	make check
fi

echo "release: $version may be tagged, with the text in $text"
for tag in $version frame/autopsy/$version frame/ebitenhost/$version cmd/framevet/$version; do
	echo "  git tag -a $tag -F $text --cleanup=whitespace && git push origin $tag"
done
