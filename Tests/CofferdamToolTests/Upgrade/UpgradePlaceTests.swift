#if CommandLine
import ArgumentParser
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

@Suite("Where the upgrades of a command are") struct UpgradePlaceTests {
    private static let (server, directory) = ("COFFERDAM_SERVER", "COFFERDAM_UPGRADE_STATE")
    private static let fleet = FleetPlace(etcd: "http://a")

    @Test(
        arguments: [
            ([], [:], .directory(".cofferdam/upgrade")), ([], [directory: "d"], .directory("d")),
            ([], [server: "https://u"], .server("https://u")), ([], [server: ""], .directory(".cofferdam/upgrade")),
            ([], [server: "https://u", directory: ""], .server("https://u")),
            (["--server", "https://v"], [server: "https://u", directory: "d"], .server("https://v")),
            (["--state", "e"], [server: "https://u", directory: "d"], .directory("e")),
            (["--etcd", "http://a"], [server: "https://u"], .fleet(fleet)),
        ] as [([String], [String: String], UpgradePlace)]
    )
    func `An option overrides the environment`(
        _ options: [String],
        _ variables: [String: String],
        _ place: UpgradePlace
    ) throws {
        var bench = UpgradeBench()
        bench.variables = variables
        #expect(try UpgradeOptions.parse(options).place(in: bench.environment) == place)
    }

    @Test(
        arguments: [
            (["status"], [server: "https://u", directory: "d"], 64),
            (["kill", "legacy", "--reason", "test"], [server: "https://u", directory: "d"], 64),
            (["plan"], [server: "https://u", directory: "d"], 64),
            (["status", "--server", "https://u", "--state", "d"], [:], 64),
            (["status", "--server", "https://u", "--etcd", "http://a"], [:], 64),
            (["status", "--server", ""], [:], 64),
            (["plan", "--arms", "--server", "https://u"], [:], 64), (["plan", "--arms"], [server: "https://u"], 0),
            // Without a token, no server is contacted.
            (["status", "--server", "https://u"], [:], 70), (["status"], [server: "https://u"], 70),
            (["plan"], [server: "https://u"], 70), (["watch"], [server: "https://u"], 70),
            (["kill", "legacy", "--reason", "test"], [server: "https://u"], 70),
            (["allow", "ada", "--reason", "test"], [server: "https://u"], 64),
            (["kill", "legacy", "--reason", "test", "--by", "amara"], [server: "https://u"], 64),
            (["kill", "legacy"], [server: "https://u"], 64),
        ] as [([String], [String: String], Int32)]
    )
    func `An ambiguous place, or one that cannot be queried, is not queried`(
        _ arguments: [String],
        _ variables: [String: String],
        _ code: Int32
    ) async throws {
        var bench = UpgradeBench()
        bench.variables = variables
        #expect(await exitCode(of: arguments, bench) == code)
        #expect(try await bench.store.read("catalogue") == nil)
    }
}
#endif
