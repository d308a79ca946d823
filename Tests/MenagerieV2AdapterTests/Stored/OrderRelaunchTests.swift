#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1Adapter
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

extension KilledProcessTests {
    @Suite struct OrderRelaunchTests {
        private static let draft = OrderDraft(
            lines: [OrderLine(article: "hay", quantity: 2, unitPrice: Money(minorUnits: 450, currency: .eur))],
            key: "attempt-1"
        )

        @Test
        func `D18: committed, cut, killed and asked again, V1 has one order of each key`() async throws {
            let installation = try Installation(.v19)
            defer { installation.remove() }
            let service = try await startService()
            let before = service.control.orderCount(of: "amara")
            service.control.inject(.commitThenCut, on: .placeOrder, times: 2)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = service.url as String, directory = installation.directory as String] in
                let services = try await openMenagerieV1(
                    MenagerieV1Configuration(
                        serviceURL: url,
                        key: "k",
                        directory: directory,
                        issues: IssueSink { _, _ in }
                    )
                )
                await expect(.outcomeUnknown) { try await services.orders.place(Self.draft) }
                _ = kill(getpid(), SIGKILL)
            }
            service.control.clearFaults()
            let committed = service.control.orderCount(of: "amara")
            try await installation.withV1(at: service.url) { services in
                let order = try await services.orders.place(Self.draft)
                #expect(try await services.orders.place(Self.draft) == order)
                #expect(order.lines == Self.draft.lines)
                // Automatic repeats by libcurl count as well: the retry adds nothing.
                #expect(service.control.orderCount(of: "amara") == committed)
                #expect(committed == before + 1)
                // Another key is another order, of the same lines.
                let other = try await services.orders.place(OrderDraft(lines: Self.draft.lines, key: "attempt-2"))
                #expect(other.id != order.id)
                let changed = OrderDraft(lines: [Self.draft.lines[0], Self.draft.lines[0]], key: "attempt-1")
                await expect(.conflict) { try await services.orders.place(changed) }
            }
            #expect(service.control.orderCount(of: "amara") == before + 2)
            await service.stop()
        }

        @Test
        func `D18: refused or never sent, an order on V1 leaves its key free`() async throws {
            let installation = try Installation(.v19)
            defer { installation.remove() }
            let service = try await startService()
            let before = service.control.orderCount(of: "amara")
            try await installation.withV1(at: service.url) { services in
                service.control.inject(.status(503), on: .placeOrder)
                await expect(.unavailable) { try await services.orders.place(Self.draft) }
                service.control.inject(.reset, on: .placeOrder, times: 2)
                await expect(.outcomeUnknown) { try await services.orders.place(Self.draft) }
                service.control.clearFaults()
                _ = try await services.orders.place(Self.draft)
            }
            #expect(service.control.orderCount(of: "amara") == before + 1)
            await service.stop()
        }

        @Test
        func `D18: committed, cut, killed and asked again, V2 has one order, by the same key`() async throws {
            let installation = try Installation(.v2)
            defer { installation.remove() }
            let service = try await startService()
            let before = service.control.orderCount(of: "amara")
            service.control.inject(.commitThenCut, on: .placeOrder, times: 100, after: 1)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = service.url as String, directory = installation.directory as String] in
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "k", directory: directory)
                )
                await expect(.outcomeUnknown) { try await services.orders.place(Self.draft) }
                _ = kill(getpid(), SIGKILL)
            }
            service.control.clearFaults()
            try await installation.withV2(at: service.url) { services in
                let order = try await services.orders.place(Self.draft)
                #expect(try await services.orders.place(Self.draft) == order)
            }
            #expect(service.control.orderCount(of: "amara") == before + 1)
            await service.stop()
        }

        @Test
        func `D18: a naive order without its key is placed once for each of the SDK's tries`() async throws {
            try await OpenedSanctuary.with { sanctuary in
                let naive = MenagerieClient(
                    options: .init(
                        serviceURL: sanctuary.url,
                        apiKey: "naive",
                        directory: sanctuary.directory,
                        retryBackoff: .zero,
                        lifecycleTelemetry: false
                    )
                )
                try await naive.configure()
                let before = sanctuary.control.orderCount(of: "amara")
                let token = try await naive.authenticate(user: "amara", password: "sandbox").accessToken
                sanctuary.control.inject(.commitThenCut, on: .placeOrder)
                let lines = Self.draft.lines.map(MenagerieV2.OrderLine.init)
                _ = try await naive.placeOrder(lines: lines, accessToken: token)
                #expect(sanctuary.control.orderCount(of: "amara") == before + 2)
                await naive.shutdown()
            }
        }
    }
}
#endif
