// The child process of a SideProbe: opens one side's library, and reports over its standard output.
import CofferdamSides

SideProbe.main()
