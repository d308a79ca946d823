#if Staged
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

/// Checks streams with the real service. The kit's own tests cover failures during a move.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StagedStreamTests {
    @Test
    func `Messages that are followed come from V2 and from V1 again, each once and in order`() async throws {
        try await StagedApp.with { app in
            let upgrade = app.directory + "/upgrade"
            let folder = URL(filePath: upgrade + "/sanctuary")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let received = try await app.run(upgrade: upgrade) { services in
                try await services.signIn()
                let events = services.messages.events()
                // V1 first asks for the latest events, and receives everything posted from then on.
                await app.control.waitForCalls(of: .messageEvents, atLeast: 2)
                var (posted, received) = ([try app.post(1)], [MessageID]())
                // V1 polls again for the next events; V2 has made one call.
                var (polls, quiet) = (0, 0)
                var targets = ["candidate", "legacy"]
                for try await case .received(let message) in events {
                    received.append(message.id)
                    #expect(received == posted)
                    let before = polls
                    polls = app.calls(.messageEvents, by: .v1)
                    quiet = polls == before ? quiet + 1 : 0
                    if targets.count == 1 ? quiet == 5 : quiet == 0 {
                        guard !targets.isEmpty else { break }
                        let kill = Data(#"{"target": "\#(targets.removeFirst())"}"#.utf8)
                        try kill.write(to: folder.appending(path: "kill.json"), options: .atomic)
                    }
                    posted.append(try app.post(posted.count + 1))
                }
                #expect(targets.isEmpty, "the stream has ended")
                return received
            }
            #expect(Set(received).count == received.count)
            #expect(app.calls(.messageEvents, by: .v2) > 0)
        }
    }
}

extension StagedApp {
    fileprivate func post(_ number: Int) throws -> MessageID {
        MessageID(try control.postMessage(author: "kenji", text: "message \(number)"))
    }
}
#endif
