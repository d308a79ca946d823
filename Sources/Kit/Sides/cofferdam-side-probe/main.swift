// The child process of a SideProbe: opens one side's library, and reports over its standard output.
import CofferdamSides

#if os(macOS) || os(Linux)
SideProbe.main()
#else
// An app cannot start a process there, but a scheme of the whole package builds this too.
print("cofferdam-side-probe runs on macOS and Linux only")
#endif
