#if Sandbox
import Testing

/// Tests that kill a process, one at a time: a child inherits its parent's sockets, and two concurrent children would
/// keep each other's sockets open.
@Suite(.serialized, .timeLimit(.minutes(5))) enum KilledProcessTests {}
#endif
