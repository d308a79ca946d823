#if Sandbox
import CofferdamContracts
import CofferdamTesting
import Foundation
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// The adapters on the last day of 1999, and on a day after a century's February that had no leap day.
private let adapters = [("1999-12-31", 946_641_600.0), ("2101-03-01", 4_139_078_400)].flatMap { day, seconds in
    let ahead = Duration.seconds(Int64(seconds - Date().timeIntervalSince1970))
    return [
        AdapterUnderTest<SanctuarySubject>.v1("v1 on \(day)", clocksAhead: ahead),
        .v2("v2 on \(day)", clocksAhead: ahead),
    ]
}

@Suite struct WallClockTests {
    // Serialised, because the process has only one V1.
    @Test(.serialized, arguments: contractCases(SanctuaryContract.rules, adapters, filter: ContractFilter()))
    func `the rules hold when the wall clocks are in another century`(
        _ contractCase: ContractCase<SanctuarySubject>
    ) async throws {
        let row = await expect(contractCase)
        #expect(row?.outcome == .passed)
    }

    /// The fake's clock is its own: it begins in 2026, and advances when it is read.
    @Test func `adapters and the fake read the machine's wall clock only where a configuration gives none`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let reading =
            #/
            Date\(\) | Date\.now | [sS]inceNow | clock_gettime | gettimeofday | \btime\(nil\) | Configuration\.timeOfDay
            /#
        var readers: [String: Int] = [:]
        for folder in ["Adapters", "Sanctuary/SanctuaryFake", "Sanctuary/SanctuaryDomain"] {
            let path = sources.appending(path: folder).path
            for file in try FileManager.default.subpathsOfDirectory(atPath: path) where file.hasSuffix(".swift") {
                let count = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8).matches(of: reading).count
                if count > 0 { readers[(file as NSString).lastPathComponent] = count }
            }
        }
        // A copy's age is that of its files, which the system dates.
        let expected = [
            "MenagerieV1Configuration.swift": 1, "MenagerieV2Configuration.swift": 1, "InstallationCopy.swift": 1,
        ]
        #expect(readers == expected)
    }
}
#endif
