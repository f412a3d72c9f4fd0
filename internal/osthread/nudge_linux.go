package osthread

// Nudges says that a thread that wakes up may have the system run another one that it has passed over.
const Nudges = true
