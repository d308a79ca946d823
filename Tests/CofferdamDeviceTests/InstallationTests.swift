import CofferdamDevice
import CofferdamUpgrade
import Foundation
import Testing

@Suite(.serialized) struct InstallationTests {
    private static let server = ScriptedServer().server

    /// What the system does with an app: it is suspended in the background, and ended there, or it crashes in the
    /// foreground.
    enum End: String, CaseIterable { case inTheBackground, inTheForeground, afterComingBack }

    @Test(arguments: End.allCases)
    func `the end of a process is a crash in the foreground only`(_ end: End) async throws {
        try await withDirectory { directory in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = directory as String, end = end.rawValue as String] in
                let device = try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
                let calls = try device.calls()
                calls.began(CandidateCall(isUnitsOnlyCall: true))
                if end != End.inTheForeground.rawValue {
                    await device.pause().value
                    // Another one begins in the background.
                    calls.began(CandidateCall(isUnitsOnlyCall: false))
                }
                if end == End.afterComingBack.rawValue { device.resume() }
                kill(getpid(), SIGKILL)
            }
            let device = try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
            let crash = try device.calls().crash
            switch end {
            case .inTheBackground: #expect(crash == nil)
            case .inTheForeground: #expect(crash?.calls == 1)
            case .afterComingBack: #expect(crash?.calls == 2)
            }
        }
    }

    @Test func `a file that is opened in the background is paused too`() async throws {
        try await withDirectory { directory in
            await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
                let device = try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
                await device.pause().value
                try device.calls().began(CandidateCall(isUnitsOnlyCall: true))
                kill(getpid(), SIGKILL)
            }
            let device = try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
            #expect(try device.calls().crash == nil)
        }
    }

    @Test(arguments: ["evidence", "", "./app"]) func `a relative directory is refused`(_ path: String) {
        let error = #expect(throws: UpgradeStoreError.self) {
            try DeviceUpgrades(Self.server, directory: path, salt: Phone.salt)
        }
        #expect(error?.subject == path)
        #expect(error?.message == "the directory of an installation needs an absolute path")
    }

    @Test func `the directory is made for this account only`() async throws {
        try await withDirectory { directory in
            let inner = directory + "/a/b"
            _ = try DeviceUpgrades(Self.server, directory: inner, salt: Phone.salt)
            let attributes = try FileManager.default.attributesOfItem(atPath: inner)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `a directory that cannot be made is named`() {
        let error = #expect(throws: UpgradeStoreError.self) {
            try DeviceUpgrades(Self.server, directory: "/dev/null/a", salt: Phone.salt)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.subject == "/dev/null/a")
    }

    @Test(arguments: ["evidence.json", "upgrades.json"])
    func `a file that holds something else is named, and stays as it is`(_ name: String) async throws {
        try await withDirectory { directory in
            _ = try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
            let path = directory + "/" + name
            try Data("nonsense".utf8).write(to: URL(filePath: path))
            let error = #expect(throws: UpgradeStoreError.self) {
                try DeviceUpgrades(Self.server, directory: directory, salt: Phone.salt)
            }
            #expect(error?.code == .unreadable)
            #expect(error?.subject == path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "nonsense")
        }
    }

    @Test func `what another server said is not remembered`() async throws {
        try await withDirectory { directory in
            let first = ScriptedServer()
            first.move(to: .candidateOnly)
            try await Phone.use(first.server, directory) { phone in
                try await phone.launch()
            }
            let other = UpgradeServer(
                "https://other.example.com",
                token: "secret",
                transport: DeviceTransport { _, _, _ in
                    throw DeviceTransportError("no network")
                }
            )
            try await Phone.use(other, directory) { phone in
                try await phone.launch()
                #expect(try await phone.call() == "legacy")
            }
        }
    }
}
