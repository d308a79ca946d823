import Testing

/// Tests that kill a process, one at a time: a child inherits its parent's sockets, and two children at once keep open what
/// the other one waits to be closed.
@Suite(.serialized, .timeLimit(.minutes(5))) enum KilledProcessTests {}
