// Package bridge lets a type of one package of this module offer verbs to the others, without a method that users see.
//
// The type embeds a Door, by an alias with an unexported name. A Door has an unexported method that only this package
// can call, and the type has that method too. So Of finds the verbs, and the compiler checks that there are some. There
// is neither a registry nor a word that users could write.
package bridge

// A Door is embedded by a type that offers the verbs V.
type Door[V any] struct{ verbs V }

// New returns the Door to verbs.
func New[V any](verbs V) Door[V] { return Door[V]{verbs} }

func (d *Door[V]) open() V { return d.verbs }

// Of returns the verbs that x offers.
func Of[V any](x interface{ open() V }) V { return x.open() }
