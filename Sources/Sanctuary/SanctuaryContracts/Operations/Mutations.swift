import CofferdamContracts
import SanctuaryDomain

/// The ports' operations that make changes.
enum Mutations {
    static let rules =
        Rule.each([
            ("place", place.rules), ("send", send.rules), ("activate", activate.rules),
            ("forgetNickname", forgetNickname.rules),
        ]) + writes.rules
    static let mutants =
        Mutant.each([
            ("place", place.mutants), ("send", send.mutants), ("activate", activate.mutants),
            ("forgetNickname", forgetNickname.mutants),
        ]) + writes.mutants

    private static let errors = CreateErrors(
        rejectedField: { SanctuaryError.isCode(.invalidRequest, $0) ? ($0 as? SanctuaryError)?.subject ?? "" : nil },
        isConflict: { SanctuaryError.isCode(.conflict, $0) },
        isOutcomeUnknown: { SanctuaryError.isCode(.outcomeUnknown, $0) },
        notFound: SanctuaryError(.notFound, "not visible yet"),
        unreachable: SanctuaryError(.unreachable, "the connection was lost")
    )

    private static func evidence(of operation: SanctuaryOperation) -> CreateEvidence<SanctuarySubject> {
        CreateEvidence(
            inject: { try await $0.probe.inject($1, on: operation, times: $2) },
            clearFaults: { try await $0.probe.clearFaults() },
            calls: { try await $0.probe.calls(of: operation) },
            strayFields: SanctuaryCalls.strayFields(of: operation)
        )
    }

    // MARK: Writes

    /// Activating, releasing and naming set a state: repeating them changes nothing, and the ports allow it after any
    /// error.
    private static let writes = WriteOperation<SanctuarySubject>(
        writes: [
            .init(ProbedCalls.perform),
            .init(
                ProbedCalls.place,
                key: .init(count: { try await $0.services.orders.orders(PageRequest()).items.count })
            ),
            .init(
                ProbedCalls.send,
                key: .init(
                    count: { try await $0.services.messages.messages(PageRequest()).items.count },
                    // A vendor that uses the key as the message's id reports that it is taken.
                    isTaken: { SanctuaryError.isCode(.conflict, $0) }
                )
            ),
        ],
        prepare: { subject in
            guard subject.hasDeadlines else { throw UnmetRequirements(harnessCapabilities: [.adjustableClock]) }
            try await subject.prepareSeeded()
            try await subject.signIn()
        },
        held: .vendor,
        clearFaults: {
            // Waits until the abandoned call is gone: a vendor without keys would otherwise carry out both.
            try await $0.probe.waitForHeld(exactly: 0)
            try await $0.probe.clearFaults()
        },
        outlast: { try await $0.outlastDeadline() },
        close: { await $0.services.close() },
        isOutcomeUnknown: errors.isOutcomeUnknown,
        unreachable: errors.unreachable
    )

    // MARK: Orders

    private static let place = CreateOperation(
        call: SanctuaryCalls.place,
        get: SanctuaryCalls.order,
        list: SanctuaryCalls.orders,
        id: \.id,
        errors: errors,
        vendor: evidence(of: .place),
        prepare: { try await $0.prepareEmpty() },
        drafts: { _ in
            ([1, 450, 123_456_789] as [Int64]).map { amount in
                let lines = [line(amount, quantity: 3), line(99, "mirror & \"frame\"")]
                return OrderDraft(lines: lines, key: "MUT-\(amount)")
            }
        },
        shows: { $0.lines == $1.lines },
        rejected: { _ in
            [
                (OrderDraft(lines: [], key: "MUT-04"), "lines"),
                (OrderDraft(lines: [line(1)], key: ""), "key"),
                (OrderDraft(lines: [line(1), line(1, quantity: 0)], key: "MUT-04"), "lines[1].quantity"),
                (OrderDraft(lines: [line(1, quantity: 1_000_001)], key: "MUT-04"), "lines[0].quantity"),
                (OrderDraft(lines: [line(1), line(1, "")], key: "MUT-04"), "lines[1].article"),
            ]
        },
        contradiction: { OrderDraft(lines: $0.lines + [line(7)], key: $0.key) },
        another: { OrderDraft(lines: $0.lines, key: $0.key + "-again") },
        isRepeatable: true,
        deduplicates: Capability.idempotencyKeys.tag
    )

    private static func line(_ minorUnits: Int64, _ article: String = "meat", quantity: Int = 1) -> OrderLine {
        OrderLine(article: article, quantity: quantity, unitPrice: Money(minorUnits: minorUnits, currency: .eur))
    }

    // MARK: Messages

    private static let send = CreateOperation<SanctuarySubject, MessageDraft, MessageID, Message>(
        call: SanctuaryCalls.send,
        list: SanctuaryCalls.messages,
        id: \.id,
        errors: errors,
        vendor: evidence(of: .send),
        prepare: { try await $0.prepareEmpty() },
        drafts: { _ in
            ["The hydra sleeps.", "ñ \"quoted\" \\ 鳥 & <b>"].map { MessageDraft(text: $0, key: "MUT \($0.count)") }
        },
        shows: { $0.text == $1.text },
        rejected: { _ in
            [
                (MessageDraft(text: "", key: "MUT-04"), "text"), (MessageDraft(text: "text", key: ""), "key"),
                (MessageDraft(text: String(repeating: "a", count: 4001), key: "MUT-04"), "text"),
            ]
        },
        another: { MessageDraft(text: $0.text, key: $0.key + "-again") }
    )

    // MARK: Accessories

    private static let activate = UpdateOperation<SanctuarySubject, AccessoryID, Accessory>(
        call: SanctuaryCalls.activate,
        read: SanctuaryCalls.accessories,
        prepare: { subject in
            try await subject.prepareAccessories()
            return [collar, scale, collar]
        },
        changed: { id, accessories in
            accessories.map { accessory in
                var accessory = accessory
                if accessory.link == .active { accessory.link = .linked }
                if accessory.id == id { accessory.link = .active }
                return accessory
            }
        },
        comparable: { accessory in
            var accessory = accessory
            accessory.lastSeen = Instant(millisecondsSince1970: 0)
            return accessory
        },
        overwritten: { accessory in
            var accessory = accessory
            accessory.battery = nil
            return accessory
        }
    )

    private static let forgetNickname = DeleteOperation(
        call: SanctuaryCalls.forgetNickname,
        get: SanctuaryCalls.nickname,
        second: .succeeds,
        requires: [Capability.nicknames.tag],
        isNotFound: { SanctuaryError.isCode(.notFound, $0) },
        seed: { subject in
            try await subject.prepareAccessories()
            for id in [collar, scale] { try await subject.services.accessories.setNickname("my \(id)", of: id) }
            return [collar, scale]
        }
    )

    fileprivate static let collar = AccessoryID("collar-7")
    fileprivate static let scale = AccessoryID("scale-7")
}

extension SanctuarySubject {
    func prepareEmpty() async throws {
        try await probe.reset(.empty)
        try await signIn()
    }

    fileprivate func prepareAccessories() async throws {
        try await probe.reset(.empty)
        for (id, name, percent) in [(Mutations.collar, "Collar", 57), (Mutations.scale, "Scale", 100)] {
            guard let battery = Battery(percent: percent) else { continue }
            try await probe.updateAccessory(id, name: name, battery: battery)
        }
    }
}
