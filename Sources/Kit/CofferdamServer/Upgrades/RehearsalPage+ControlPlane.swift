#if Server
    public import CofferdamRehearsal  // its rehearsals

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension RehearsalPage {
        /// Starts a control plane on loopback whose page shows a rehearsal, and follows what people do there. Its tokens and
        /// its file are created for it and removed with it.
        ///
        /// - Parameter port: 0 for any free one.
        /// - Throws: `ControlPlaneError` if it cannot start; the error of the file system if it has no place for the file.
        public static func controlPlane(_ rehearsal: OngoingRehearsal, port: Int = 0) async throws -> RehearsalPage {
            try await controlPlane(rehearsal, port: port, in: FileManager.default.temporaryDirectory)
        }

        /// - Parameter place: where the folder for the server's file is made.
        static func controlPlane(
            _ rehearsal: OngoingRehearsal,
            port: Int,
            in place: URL
        ) async throws -> RehearsalPage {
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
                return RehearsalPage(notes: notes) {
                    await plane.stop()
                    try? FileManager.default.removeItem(at: folder)
                }
            } catch {
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
