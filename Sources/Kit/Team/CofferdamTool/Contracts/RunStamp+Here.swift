#if CommandLine
import CofferdamContracts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RunStamp {
    /// The stamp of this machine, today, without fixtures.
    static var here: RunStamp {
        RunStamp(
            fixtures: "",
            os: ProcessInfo.processInfo.operatingSystemVersionString + ", " + architecture,
            toolchain: toolchain,
            date: .today
        )
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "another architecture"
        #endif
    }

    /// The compiler's version, as exactly as a program can know it.
    static var toolchain: String {
        #if compiler(>=6.5)
        "Swift 6.5 or later"
        #elseif compiler(>=6.4)
        "Swift 6.4"
        #elseif compiler(>=6.3.2)
        "Swift 6.3.2 or later"
        #elseif compiler(>=6.3.1)
        "Swift 6.3.1"
        #elseif compiler(>=6.3)
        "Swift 6.3"
        #else
        "Swift 6.2"
        #endif
    }
}

extension CalendarDay {
    static var today: CalendarDay { CalendarDay(secondsSince1970: Int(Date().timeIntervalSince1970)) }
}
#endif
