package workers

import "runtime"

// UnderRace is as underRace.
const UnderRace = underRace

// OrdinaryFor is how many ordinary workers p ought to have on so many Ps, on this machine.
func (p *Pool) OrdinaryFor(procs int) int { return ordinaryFor(procs, runtime.NumCPU(), p.granted()) }

// Granted is how many processors a quota grants in full.
func (p *Pool) Granted() int { return p.granted() }
