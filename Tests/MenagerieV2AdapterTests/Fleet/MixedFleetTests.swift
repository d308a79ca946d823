#if Sandbox
import MenagerieService
import SanctuaryDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct MixedFleetTests {
    @Test(arguments: Phone.allCases, Charge.all)
    func `D17, D18: an order placed on one phone is on the other once, and exactly`(
        phone: Phone,
        charge: Charge
    ) async throws {
        try await MixedFleet.with(charge.user) { fleet in
            let before = fleet.control.orderCount(of: charge.user)
            let placed = try await fleet[phone].orders.place(OrderDraft(lines: charge.lines, key: "fleet"))
            #expect(placed.lines == charge.lines)
            for services in [fleet.old, fleet.new] {
                #expect(try await services.orders.order(placed.id) == placed)
                let listed = try await services.orders.orders(PageRequest()).items
                #expect(listed.filter { $0.id == placed.id } == [placed])
            }
            #expect(fleet.control.orderCount(of: charge.user) == before + 1)
        }
    }

    @Test(
        arguments: [
            ("pending", .pending, .pending), ("authorized", .authorized, .authorized),
            ("captured", .authorized, .captured), ("partiallyRefunded", .authorized, .partiallyRefunded),
            ("shipped", .shipped, .shipped), ("cancelled", .cancelled, .cancelled),
        ] as [(String, SanctuaryDomain.OrderStatus, SanctuaryDomain.OrderStatus)]
    )
    func `D19: a status is the same on both phones, or less on the old one, and never more`(
        status: String,
        old: SanctuaryDomain.OrderStatus,
        new: SanctuaryDomain.OrderStatus
    ) async throws {
        try await MixedFleet.with { fleet in
            let placed = try await fleet.old.orders.place(OrderDraft(lines: Charge.all[0].lines, key: "fleet"))
            try fleet.control.setStatus(status, order: placed.id.rawValue)
            #expect(try await fleet.old.orders.order(placed.id).status == old)
            #expect(try await fleet.new.orders.order(placed.id).status == new)
        }
    }

    @Test func `D17: an order in another currency than the account's is not on the old phone`() async throws {
        try await MixedFleet.with { fleet in
            let lines = Charge.all.map { OrderLine(article: "hay", quantity: 1, unitPrice: $0.price) }
            let placed = try await fleet.new.orders.place(OrderDraft(lines: lines, key: "mixed"))
            #expect(try await fleet.new.orders.order(placed.id).lines == lines)
            await expect(.unsupported) {
                try await fleet.old.orders.place(OrderDraft(lines: lines, key: "old"))
            }
            await expect(.notFound) { try await fleet.old.orders.order(placed.id) }
            let listed = try await fleet.old.orders.orders(PageRequest()).items
            #expect(listed.contains { $0.id == placed.id } == false)
        }
    }

    @Test func `D18: a key is the phone's own, where one of the two is old`() async throws {
        try await MixedFleet.with { fleet in
            let draft = OrderDraft(lines: Charge.all[0].lines, key: "fleet")
            let placed = try await fleet.new.orders.place(draft)
            #expect(try await fleet.new.orders.place(draft) == placed)
            let second = try await fleet.old.orders.place(draft)
            #expect(second.id != placed.id)
            #expect(try await fleet.old.orders.place(draft) == second)
        }
    }

    @Test(arguments: Phone.allCases)
    func `D11, D12: an accessory activated on one phone is active on the other, which hears of it once`(
        phone: Phone
    ) async throws {
        try await MixedFleet.with { fleet in
            let (camera, feeder) = (AccessoryID("camera-1"), AccessoryID("feeder-1"))
            let (mine, others) = (fleet[phone].accessories, fleet[phone.other].accessories)
            let events = Subscriber(others.events())
            guard case .current? = try await events.next() else { return #expect(Bool(false), "not what there is") }
            await fleet.control.waitForSubscribers(of: .accessories, exactly: 1)
            try await mine.activate(camera)
            try fleet.control.updateAccessory("scale-1", battery: 3)
            var delivered: [Accessory] = []
            while delivered.last?.battery?.percent != 3, let event = try await events.next() {
                guard case .changed(let accessory) = event else { continue }
                delivered.append(accessory)
            }
            #expect(delivered.count { $0.id == camera && $0.link == .active } == 1)
            for port in [mine, others] { #expect(try await port.active() == [camera]) }
            try await others.perform(.identify, on: camera)
            #expect(fleet.control.commands(of: "camera-1") == ["identify"])

            try await others.activate(feeder)
            for port in [mine, others] { #expect(try await port.active() == [feeder]) }
            await expect(.conflict) { try await mine.perform(.identify, on: camera) }
            try await mine.release(feeder)
            for port in [mine, others] { #expect(try await port.active() == []) }
        }
    }

    @Test func `D16, D26: a phone that refreshes, signs out or signs in does not sign out the other`() async throws {
        try await MixedFleet.with { fleet in
            for phone in Phone.allCases {
                fleet.control.expireAccessTokens()
                for services in [fleet.old, fleet.new] { try await services.expectSignedIn() }
                try await fleet[phone].accounts.signOut()
                #expect(try await fleet[phone].accounts.state() == .signedOut)
                try await fleet[phone.other].expectSignedIn()
                _ = try await fleet[phone].accounts.signIn(Credentials(user: "amara", password: "sandbox"))
                for services in [fleet.old, fleet.new] { try await services.expectSignedIn() }
            }
        }
    }
}

extension SanctuaryServices {
    fileprivate func expectSignedIn() async throws {
        #expect(try await accounts.state().userID == "amara")
        #expect(try await orders.orders(PageRequest()).items.isEmpty == false)
    }
}

extension Accessories {
    fileprivate func active() async throws -> [AccessoryID] {
        try await accessories().filter { $0.link == .active }.map(\.id)
    }
}
#endif
