#if Staged
import CofferdamDevice
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import SanctuaryDomain
import SanctuaryRouting

/// Where the upgrade's state is, and where its evidence goes: a directory of this machine, or a server.
struct UpgradePlace: Sendable {
    /// The variable that names the place.
    let variable: String
    /// The directory, or the server's address.
    let name: String
    /// It remembers the last state beside the SDKs' own, because V1 may be unable to read what V2 has written there.
    private(set) var backend: UpgradeBackend
    /// The candidate's calls in flight of this installation.
    let calls: CallFiles
    /// What is posted to a server; nil without one.
    var reports: ReportFiles?
    let configure: @Sendable (inout Upgrade<SanctuaryServices>.Options) -> Void

    /// The longest time that a start waits for a server that does not answer.
    private static let patience = Duration.seconds(3)

    /// Nil if the environment names no place.
    ///
    /// - Throws: a ``SanctuaryError`` that names the variable.
    init?(_ configuration: SDKConfiguration) throws(SanctuaryError) {
        let environment = configuration.environment.filter { !$0.value.isEmpty }
        let directory = environment["COFFERDAM_UPGRADE_STATE"]
        switch (environment[ServerAccess.variable], directory) {
        case (nil, nil): return nil
        case (nil, let directory?): self.init(directory: directory)
        case (let address?, nil): try self.init(server: address, environment, configuration.stateDirectory)
        case (_?, _?):
            throw SanctuaryError(
                .invalidRequest,
                "COFFERDAM_UPGRADE_STATE is set too: an upgrade is in one place",
                subject: ServerAccess.variable
            )
        }
        backend.memory = FileUpgradeMemory(directory: configuration.stateDirectory + "/sanctuary.upgrade", of: name)
        backend.calls = { [calls] _ in calls }
    }

    /// A directory that all processes of this machine share.
    private init(directory: String) {
        (variable, name) = ("COFFERDAM_UPGRADE_STATE", directory)
        backend = .directory(directory, decides: false)
        calls = CallFiles(of: SanctuaryUpgrade.capability, in: directory)
        // The gate is evaluated as often as the kill switch is read.
        configure = { $0.engine.pollInterval = .seconds(1) }
    }

    /// A server, whose gate decides by the counts of all installations.
    private init(
        server address: String,
        _ environment: [String: String],
        _ directory: String
    ) throws(SanctuaryError) {
        let server: UpgradeServer
        let stops: StopFile?
        do {
            let access = try ServerAccess(address, environment: environment)
            server = access.server(timeout: Self.patience)
            stops = try StopFile(environment: environment)
        } catch {
            throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
        }
        // The files may be created before the SDKs create the directory. If it cannot be created, nothing is
        // counted.
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let store = ServerUpgradeStore(server)
        let reports = ReportFiles(in: directory) { file in
            try ServerEvidence(
                server,
                file: file,
                salt: SanctuaryUpgrade.salt,
                build: BuildIdentity.current ?? "",
                mismatchSamples: 3
            )
        }
        (variable, name, self.reports) = (ServerAccess.variable, server.address, reports)
        backend = UpgradeBackend(store: store, ledger: reports.own, decides: false)
        backend.watching = store
        calls = CallFiles(of: SanctuaryUpgrade.capability, in: directory)
        configure = {
            // The counts of all builds count together.
            $0.build = ""
            // The kill switch arrives through the watch.
            $0.engine.pollInterval = .seconds(60)
            // While the server is down, V2 can be stopped by a file on another host, and ends by itself after a week.
            $0.stops = stops
            $0.engine.fallsBackAfter = .seconds(7 * 86_400)
        }
    }
}
#endif
