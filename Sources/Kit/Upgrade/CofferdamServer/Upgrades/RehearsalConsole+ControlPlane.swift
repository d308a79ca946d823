#if Server
public import CofferdamRehearsal  // its rehearsals

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RehearsalConsole {
    /// A control plane on loopback, which follows what people do on its page. Its tokens and its file are created for
    /// it and removed with it.
    public static var controlPlane: RehearsalConsole {
        let place = FileManager.default.temporaryDirectory
        return RehearsalConsole {
            try await Page.controlPlane($0, port: $1, in: place)
        } drill: {
            try await Drill.controlPlane($0, in: place)
        }
    }
}

extension RehearsalConsole.Page {
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - place: where the folder for the server's file is made.
    static func controlPlane(
        _ rehearsal: OngoingRehearsal,
        port: Int,
        in place: URL
    ) async throws -> RehearsalConsole.Page {
        let folder = place.appendingPathComponent("console-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let (reader, person) = (AccessTokens.makeToken(), AccessTokens.makeToken())
        do {
            let tokens = try AccessTokens([
                .init(name: "reader", role: .reader, token: reader),
                .init(name: "operator", role: .operator, token: person),
            ])
            var configuration = ControlPlaneConfiguration(
                database: folder.path + "/console.sqlite",
                tokens: tokens,
                capabilities: []
            )
            configuration.port = port
            configuration.watched = [WatchedUpgrade(rehearsal)]
            configuration.now = rehearsal.now
            let plane = try await ControlPlane.start(configuration)
            let notes = [
                "The rehearsed upgrade, live: \(plane.url)/",
                "to read it, any user with this password: \(reader)",
                "to move it, this one: \(person)",
            ]
            return RehearsalConsole.Page(notes: notes) {
                await plane.stop()
                // What cannot be removed is a rehearsal's counts, in the temporary directory.
                try? FileManager.default.removeItem(at: folder)
            }
        } catch {
            // The first error says why there is no page.
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }
}

extension WatchedUpgrade {
    fileprivate init(_ rehearsal: OngoingRehearsal) {
        self.init(
            rehearsal.capability,
            planName: "rehearsal of \(rehearsal.scenario)",
            plan: rehearsal.plan,
            store: rehearsal.store,
            evidence: rehearsal.evidence
        )
        (now, baseline) = (rehearsal.now, { rehearsal.baseline })
    }
}
#endif
