extension StreamOperation {
    func rule(
        _ id: RuleID,
        _ title: String,
        level: RuleLevel = .must,
        requires: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        consultedHarnessCapabilities: Set<HarnessCapability> = [],
        _ body: @escaping Rule<Subject>.Body
    ) -> Rule<Subject> {
        Rule(
            id,
            title,
            level: level,
            requires: requires,
            harnessCapabilities: harnessCapabilities,
            consultedHarnessCapabilities: consultedHarnessCapabilities,
            bound: .seconds(5)
        ) { subject, context in
            try await vendor.prepare(subject)
            return try await body(subject, context)
        }
    }

    /// Returns a subscriber that the vendor serves and that has received the stream's beginning.
    func listen(
        _ subject: Subject,
        others: Int = 0,
        _ context: RuleContext
    ) async throws -> (StreamListener<Event>, Task<Void, any Error>) {
        let (listener, task) = StreamListener.start(stream(subject), context)
        do {
            try await expectSubscribers(others + 1, subject, context)
            if beginning != nil {
                // Events from before may be part of the beginning.
                try await context.within("\(name) begin") { try await listener.wait { _ in true } }
            }
            return (listener, task)
        } catch {
            task.cancel()
            throw error
        }
    }

    /// Returns what one subscriber receives of these events.
    func receive(
        _ numbers: ClosedRange<Int>,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> [Event] {
        let (listener, task) = try await listen(subject, context)
        defer { task.cancel() }
        for number in numbers { try await vendor.send(subject, number) }
        try await expect(listener, toReceive: numbers.upperBound, context)
        return listener.events
    }

    /// Returns once the last event has been received, or the stream has ended.
    func expect(_ listener: StreamListener<Event>, toReceive last: Int, _ context: RuleContext) async throws {
        try await context.within("\(name) up to \(last)") {
            try await listener.wait { (number($0) ?? 0) >= last }
        }
    }

    func expectSubscribers(_ count: Int, _ subject: Subject, _ context: RuleContext) async throws {
        try await context.within("\(count) subscribers to \(name)") {
            try await vendor.waitForSubscribers(subject, count)
        }
    }
}

extension Findings {
    /// Adds a violation unless the events are in order and none is missing, except where another stands for all.
    mutating func expect<Subject, Event>(
        _ events: [Event],
        numbersUpTo end: Int?,
        in operation: StreamOperation<Subject, Event>
    ) {
        var (last, isAfterGap) = (0, false)
        for event in events {
            if operation.isGap(event) {
                isAfterGap = true
                continue
            }
            let number = operation.number(event) ?? 0
            let isNext = operation.isWhole(event) || isAfterGap ? number >= last : number == last + 1
            expect(isNext, "\(operation.name): \(number) came after \(last)")
            (last, isAfterGap) = (max(last, number), false)
        }
        if let end { expectEqual(last, end, "\(operation.name): the last") }
    }
}
