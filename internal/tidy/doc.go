// Package tidy holds no code: its tests keep the module's house rules. They parse every Go file of the
// module, the README and the guides, and fail with one line per finding, "path:line: what is wrong".
//
// A rule is here if people forget it and a machine can check it. Readers judge the rest.
//
//   - Imports go one way: deadline <- scheduler, workers <- frame <- frameslice <- demo. Packages in internal import no
//     other public package than deadline. Ebitengine panics at start where there is no display, so of the library
//     frame/ebitenhost alone imports it. Only tests import internal/testkit.
//   - Lines have at most 120 columns. How long a file, a function or a sentence may be is left to readers: a limit cuts
//     one topic into several files.
//   - Exported identifiers are documented, and so is every field of an options struct, since its comment is
//     where the default is stated.
//   - No string of a library package is the name of a function: the name is another one in a fork, or obfuscated.
//   - No reminders to finish something later, no init functions (but where the demo must find a display
//     before Ebitengine looks for one), no linkname.
//   - Tests, and files of tests, that a comment names exist.
//   - Each invariant that a comment names by its label is stated in the package, or in one that it imports.
//   - Comments of the library have no odd words and no sentence that begins with a noun who or what, and no label is
//     stated twice. Some packages have an allowance, a number in prose_test.go that may only fall.
//   - What the README and the guides in docs show compiles: each Go block stands in a Go file too, line by line.
package tidy
