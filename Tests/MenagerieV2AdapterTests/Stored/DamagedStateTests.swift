#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

/// Damaged state of V1: V2 continues without it, reports it, and does not touch it.
@Suite(.timeLimit(.minutes(5))) struct DamagedStateTests {
    @Test(arguments: ["menagerie.device", "menagerie.outbox"])
    func `D26, D28: a damaged file of V1 is an issue that names it, and the user stays signed in`(name: String)
        async throws
    {
        let installation = try Installation(.v19)
        defer { installation.remove() }
        let file = URL(fileURLWithPath: installation.directory + "/" + name)
        try Data("x".utf8).write(to: file)
        let service = try await startService()
        let issues = Issues()
        let sink = IssueSink { found, operation in issues.add(found, of: operation) }
        try await installation.withV2(at: service.url, issues: sink) { services in
            let state = try await services.accounts.state()
            #expect(state.userID == "amara")
            let orders = try await services.orders.orders(PageRequest()).items
            #expect(!orders.isEmpty)
        }
        #expect(issues.all.count == 1)
        let reported = "\(issues.all.map(\.path)) \(issues.all.map(\.what))"
        #expect(reported.contains(file.path), "\(reported)")
        #expect(try Data(contentsOf: file) == Data("x".utf8))
        #expect(service.control.devices.contains(Installation.device) == (name != "menagerie.device"))
        await service.stop()
    }
}
#endif
