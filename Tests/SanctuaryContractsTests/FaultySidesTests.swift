#if Sandbox
import Cofferdam
import CofferdamUpgrade
import SanctuaryContracts
import SanctuaryDomain
import SanctuaryFake
import SanctuaryHarness
import SanctuaryOperations
import SanctuaryRouting
import Testing

/// A unit's stage and side.
private struct Place: Sendable, CustomTestStringConvertible {
    var stage: Stage
    var side: Side

    var testDescription: String { "\(stage.rawValue) on the \(side) side" }

    /// Whether calls that failed on the first side fall back to the other.
    var fallsBack: Bool {
        side == .candidate && [.canary, .candidateWithFallback].contains(stage.kind)
    }

    /// Whether the side that does not answer is also called, for comparison.
    var compares: Bool {
        switch stage.kind {
        case .shadow, .candidateShadowed: true
        case .canary: side == .legacy
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: false
        }
    }

    static let all = [
        Place(stage: .legacyOnly, side: .legacy),
        Place(stage: .shadow(sample: .all), side: .legacy),
        Place(stage: .canary(share: .none), side: .legacy),
        Place(stage: .canary(share: .all), side: .candidate),
        Place(stage: .candidateWithFallback, side: .candidate),
        Place(stage: .candidateShadowed(sample: .all), side: .candidate),
        Place(stage: .candidateOnly, side: .candidate),
    ]
}

/// One operation of each kind, as a caller makes it.
private enum Operation: String, Sendable, CaseIterable {
    case animal, orders, place, send, accessories

    var isRead: Bool { self == .animal || self == .orders }
    var isExclusive: Bool { self == .accessories }

    func call(_ services: SanctuaryServices) async throws {
        switch self {
        case .animal: _ = try await services.catalogue.animal(AnimalID("1"))
        case .orders: _ = try await services.orders.orders(PageRequest())
        case .place: _ = try await services.orders.place(OrderDraft(lines: [line], key: "one"))
        case .send: _ = try await services.messages.send(MessageDraft(text: "hello", key: "one"))
        case .accessories: _ = try await services.accessories.accessories()
        }
    }

    private var line: OrderLine {
        OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 100, currency: .eur))
    }
}

/// A fault on the first side, and its effect for the caller.
private struct Case: Sendable {
    var fault: SideFault
    /// The error's code; nil if it is not one of the port's.
    var code: SanctuaryError.Code?
    /// Whether the operation was carried out despite the fault.
    var isDone: Bool
    /// Whether the other side may carry out the operation instead, if the stage allows it.
    var mayBeDoneElsewhere: @Sendable (Operation) -> Bool

    static let all = [
        // Nothing was sent, so even a write goes to the other side.
        Case(.before(.unsupported)) { !$0.isExclusive },
        Case(.before(.closed)) { !$0.isExclusive },
        // A message that was not sent is stored, and sent later.
        Case(.before(.unreachable)) { !$0.isExclusive && $0 != .send },
        // The side failed: a read is repeated, a write is not.
        Case(.before(.rateLimited)) { $0.isRead },
        Case(.before(.unavailable)) { $0.isRead },
        Case(.before(.timeout)) { $0.isRead },
        Case(.after(.outcomeUnknown)) { $0.isRead },
        Case(.after(.truncated)) { $0.isRead },
        Case(.after(.decoding)) { $0.isRead },
        Case(.garbage) { $0.isRead },
        // The side has answered.
        Case(.before(.notFound)) { _ in false },
        Case(.before(.conflict)) { _ in false },
        Case(.before(.invalidRequest)) { _ in false },
        Case(.before(.authenticationRequired)) { _ in false },
    ]

    init(_ fault: SideFault, mayBeDoneElsewhere: @escaping @Sendable (Operation) -> Bool) {
        self.fault = fault
        self.mayBeDoneElsewhere = mayBeDoneElsewhere
        switch fault {
        case .before(let code): (self.code, isDone) = (code, false)
        case .after(let code): (self.code, isDone) = (code, true)
        case .garbage, .hang: (code, isDone) = (nil, true)
        }
    }
}

/// Two fakes over one world, as two SDKs over one service, behind the router.
private struct TwoSides {
    let fake = FakeSanctuary()
    let sides: [Side: FaultySide]
    /// The services without faults.
    let vendor: SanctuaryServices
    let shadowQueue = ShadowQueue()
    let services: SanctuaryServices

    init(at place: Place, legacyUser: String = "amara", breakers: Breakers? = nil) async throws {
        let (legacy, candidate) = (fake.services, fake.openServices())
        _ = try await legacy.accounts.signIn(Credentials(user: legacyUser, password: "sandbox"))
        _ = try await candidate.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
        vendor = candidate
        let (onLegacy, onCandidate) = (FaultySide(), FaultySide())
        sides = [.legacy: onLegacy, .candidate: onCandidate]
        services = routedServices(
            Router(
                legacy: { legacy.intercepted(by: onLegacy) },
                candidate: { candidate.intercepted(by: onCandidate) }
            ),
            for: UnitSession(
                unit: "amara",
                control: StageControl(StageState(stage: place.stage)),
                bucketing: try Bucketing(salt: "sanctuary")
            ),
            capabilities: FakeSanctuary.capabilities,
            RouteSettings(
                capability: "sanctuary",
                failures: .sanctuary,
                shadowQueue: shadowQueue,
                breakers: breakers
            )
        )
    }

    /// Returns the number of orders and messages at the vendor.
    func written() async throws -> Int {
        let orders = try await vendor.orders.orders(PageRequest(limit: 1000)).items.count
        return try await orders + vendor.messages.messages(PageRequest(limit: 1000)).items.count
    }
}

@Suite struct FaultySidesTests {
    @Test(arguments: Place.all)
    fileprivate func `a first side that fails is told or replaced as the stage says, and nothing is done twice`(
        _ place: Place
    ) async throws {
        for operation in Operation.allCases {
            for testCase in Case.all {
                let two = try await TwoSides(at: place)
                let before = try await two.written()
                let (first, other) = try two.sides(of: place)
                first.inject(testCase.fault, into: operation.rawValue)
                let comment: Comment = "\(operation), \(testCase.fault)"

                let result = await result { try await operation.call(two.services) }
                await two.shadowQueue.drained()

                let isReplaced = place.fallsBack && testCase.mayBeDoneElsewhere(operation)
                switch result {
                case .success: #expect(isReplaced, comment)
                case .failure(let error):
                    #expect(!isReplaced, comment)
                    #expect((error as? SanctuaryError)?.code == testCase.code, comment)
                }
                let writes = operation == .place || operation == .send ? (isReplaced || testCase.isDone ? 1 : 0) : 0
                #expect(try await two.written() - before == writes, comment)
                // A comparison may call V1 once more, to check whether V1 agrees with itself.
                guard !(place.compares && operation.isRead) else { continue }
                #expect(first.calls(of: operation.rawValue) == 1, comment)
                #expect(other.calls(of: operation.rawValue) == (isReplaced ? 1 : 0), comment)
            }
        }
    }

    @Test(arguments: Place.all)
    fileprivate func `the other side is never felt, whatever it does`(_ place: Place) async throws {
        for operation in Operation.allCases {
            for fault in Case.all.map(\.fault) + [.hang] {
                let two = try await TwoSides(at: place)
                let before = try await two.written()
                let (_, other) = try two.sides(of: place)
                other.inject(fault, into: operation.rawValue)
                let comment: Comment = "\(operation), \(fault)"

                let result = await result { try await operation.call(two.services) }
                other.release()
                await two.shadowQueue.drained()

                #expect(throws: Never.self, comment) { try result.get() }
                let writes = operation == .place || operation == .send ? 1 : 0
                #expect(try await two.written() - before == writes, comment)
                let isCompared = place.compares && operation.isRead
                #expect((other.calls(of: operation.rawValue) > 0) == isCompared, comment)
            }
        }
    }

    @Test(arguments: Place.all)
    fileprivate func `a first side that hangs is waited for, and a caller who gives up asks nobody else`(
        _ place: Place
    ) async throws {
        for operation in Operation.allCases {
            let two = try await TwoSides(at: place)
            let (first, other) = try two.sides(of: place)
            first.inject(.hang, into: operation.rawValue)
            let comment: Comment = "\(operation)"

            let leaving = Task { await result { try await operation.call(two.services) } }
            try await first.waitForCalls(of: operation.rawValue, atLeast: 1)
            leaving.cancel()
            let left = await leaving.value
            #expect(throws: CancellationError.self, comment) { try left.get() }
            #expect(other.calls(of: operation.rawValue) == 0, comment)

            let staying = Task { await result { try await operation.call(two.services) } }
            try await first.waitForCalls(of: operation.rawValue, atLeast: 2)
            first.release()
            let stayed = await staying.value
            #expect(throws: Never.self, comment) { try stayed.get() }
            await two.shadowQueue.drained()
        }
    }

    @Test func `what is a user's is never answered by a side on which another is signed in`() async throws {
        for place in Place.all where place.fallsBack {
            let two = try await TwoSides(at: place, legacyUser: "kenji")
            let (first, other) = try two.sides(of: place)
            first.inject(.before(.unavailable), into: "orders")
            let orders = await result { try await Operation.orders.call(two.services) }
            #expect((orders.error as? SanctuaryError)?.code == .unavailable)
            #expect(other.calls(of: "orders") == 0)

            // Data that is the same for every user is still available.
            first.inject(.before(.unavailable), into: "animal")
            try await Operation.animal.call(two.services)
        }
    }

    @Test func `an open breaker keeps nobody from the only side that may answer`() async throws {
        let breakers = try Breakers()
        for operation in ["orders", "animal"] {
            let breaker = breakers[.candidate, operation]
            while let permit = breaker.permit(isOtherSideEligible: true) {
                breaker.finish(permit, .failed, took: .zero)
            }
        }
        let place = Place(stage: .candidateWithFallback, side: .candidate)
        let two = try await TwoSides(at: place, legacyUser: "kenji", breakers: breakers)

        try await Operation.orders.call(two.services)
        #expect(two.sides[.candidate]?.calls(of: "orders") == 1)
        #expect(two.sides[.legacy]?.calls(of: "orders") == 0)

        try await Operation.animal.call(two.services)
        #expect(two.sides[.candidate]?.calls(of: "animal") == 0)
        #expect(two.sides[.legacy]?.calls(of: "animal") == 1)
    }
}

extension TwoSides {
    /// The side that answers the unit, and the other one.
    fileprivate func sides(of place: Place) throws -> (first: FaultySide, other: FaultySide) {
        (try #require(sides[place.side]), try #require(sides[place.side == .legacy ? .candidate : .legacy]))
    }
}

private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
#endif
