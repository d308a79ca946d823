import Cofferdam

// Rules about subscribers that leave, that are slow, and of which there are two.
extension StreamOperation {
    var cancelReleases: Rule<Subject> {
        rule(
            "STRM-04",
            "Cancelling a consumer ends its task and the vendor's subscription, and it receives nothing more"
        ) {
            subject,
            context in
            let (listener, task) = try await listen(subject, context)
            task.cancel()
            try await context.within("the cancelled consumer of \(name) ends") { _ = await task.result }
            try await expectSubscribers(0, subject, context)
            let received = listener.events.count
            try await vendor.send(subject, 1)
            var findings = Findings()
            findings.expectEqual(listener.events.count, received, "\(name) received after the cancellation")
            return findings.violations
        }
    }

    var cancelTwice: Rule<Subject> {
        rule("STRM-05", "Cancelling is safe from any task and any number of times, and affects no other subscriber") {
            subject,
            context in
            let (_, cancelled) = try await listen(subject, context)
            let (other, task) = try await listen(subject, others: 1, context)
            defer { task.cancel() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...20 { group.addTask { cancelled.cancel() } }
            }
            try await context.within("the cancelled consumer of \(name) ends") { _ = await cancelled.result }
            cancelled.cancel()
            try await expectSubscribers(1, subject, context)
            try await vendor.send(subject, 1)
            try await expect(other, toReceive: 1, context)
            var findings = Findings()
            if let end = other.end { findings.add("\(name) of another subscriber have ended: \(end)") }
            findings.expect(other.events, numbersUpTo: 1, in: self)
            return findings.violations
        }
    }

    var dropReleases: Rule<Subject> {
        rule("STRM-06", "A stream dropped without cancellation is freed, together with its subscription") {
            subject,
            context in
            // The stream is local to that call, and is freed with it.
            let traces = try await receiveOne(subject, context)
            try await expectSubscribers(0, subject, context)
            try await context.within("\(name) that were dropped are freed, with everything that belonged to them") {
                while traces.contains(where: { $0.object != nil }) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            return []
        }
    }

    /// Listens to one event of a stream that is then dropped.
    ///
    /// - Returns: traces of the objects that belonged to it.
    private func receiveOne(_ subject: Subject, _ context: RuleContext) async throws -> [Trace] {
        let hasBeginning = beginning != nil
        let events = stream(subject)
        let first = context.task {
            var iterator = events.makeAsyncIterator()
            return try await iterator.next(isolation: nil) != nil
        }
        defer { first.cancel() }
        try await expectSubscribers(1, subject, context)
        if !hasBeginning { try await vendor.send(subject, 1) }
        guard try await context.within("the first of \(name)", { try await first.value }) else {
            throw Deviation("\(name) are over already")
        }
        let objects = owned?(events) ?? (events as? EventStream<Event>).map { [$0.buffer] } ?? []
        return withExtendedLifetime(events) { objects.map { Trace(object: $0) } }
    }

    var slowConsumer: Rule<Subject> {
        rule(
            "STRM-07",
            "The buffer of a slow consumer stays within the declared bound, and dropped events are counted and reported",
            harnessCapabilities: overflow.waitForDrops == nil ? [] : [countedDrops]
        ) { subject, context in
            let events = stream(subject)
            try await expectSubscribers(1, subject, context)
            let last = try await overrun(subject, context)
            let (listener, task) = StreamListener.start(events, context)
            defer { task.cancel() }
            try await expect(listener, toReceive: last, context)
            var findings = Findings()
            let received = listener.events
            findings.expect(
                received.count <= overflow.bound + 1,
                "\(name): \(received.count) were kept, the declared bound is \(overflow.bound)"
            )
            findings.expect(received, numbersUpTo: nil, in: self)
            switch listener.end {
            case .failure(let error):
                findings.expect(overflow.isError(error), "\(name): too far behind, they end with \(error)")
            case .success: findings.add("\(name): too far behind, they end without an error")
            case nil: findings.expectEqual(received.last.flatMap(number), last, "\(name): the last")
            }
            return findings.violations
        }
    }

    /// How many events are sent beyond the bound, whatever the bound. With this many, it does not matter if the slow
    /// subscriber's last events arrive a little after those of one that listens.
    private static var surplus: Int { 256 }

    /// Sends more events than may be kept for a subscriber that does not listen; returns once they have reached the
    /// adapter.
    ///
    /// - Returns: the last event's number.
    private func overrun(_ subject: Subject, _ context: RuleContext) async throws -> Int {
        let last = overflow.bound + Self.surplus
        let (witness, listening) = try await listen(subject, others: 1, context)
        defer { listening.cancel() }
        // A reader must not fall behind by the bound merely because it could not run: an in-memory vendor sends without
        // a pause.
        let atOnce = min(128, max(1, overflow.bound / 2))
        for number in 1...last {
            try await vendor.send(subject, number)
            if number % atOnce == 0 || number == last { try await expect(witness, toReceive: number, context) }
        }
        if let waitForDrops = overflow.waitForDrops {
            try await context.within("\(name): something is dropped") { try await waitForDrops(subject, 1) }
        }
        return last
    }

    var twoSubscribers: Rule<Subject> {
        rule("STRM-08", "Each of two subscribers receives every event") { subject, context in
            var findings = Findings()
            let (one, first) = try await listen(subject, context)
            let (other, second) = try await listen(subject, others: 1, context)
            defer {
                first.cancel()
                second.cancel()
            }
            for number in 1...20 { try await vendor.send(subject, number) }
            for listener in [one, other] {
                try await expect(listener, toReceive: 20, context)
                findings.expect(listener.events, numbersUpTo: 20, in: self)
            }
            return findings.violations
        }
    }
}

/// A weak reference to an object that must have been freed.
private struct Trace: Sendable {
    weak let object: (any AnyObject & Sendable)?
}
