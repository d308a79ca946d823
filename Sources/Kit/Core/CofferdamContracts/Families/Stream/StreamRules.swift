extension StreamOperation {
    /// The rules STRM-01 to STRM-13 that the description provides for.
    public var rules: [Rule<Subject>] {
        let numberless: Set<RuleID> = ["STRM-02", "STRM-03", "STRM-04", "STRM-06"]
        return all.map { rule in
            hasNumbers || numberless.contains(rule.id)
                ? rule : rule.inapplicable(because: "its events carry no number that tells one from another")
        }
    }

    private var all: [Rule<Subject>] {
        [
            inOrder, oneEnd, endings, cancelReleases, cancelTwice, dropReleases, slowConsumer, twoSubscribers,
            nothingLost,
            resumes, anySplit,
        ] + (removal.map { [deliversRemovals($0)] } ?? []) + (repeatsPast ? [] : [noPastEvents])
    }

    private var inOrder: Rule<Subject> {
        rule(
            "STRM-01",
            "Events are delivered one at a time, in order, without gaps, from the documented start"
        ) {
            subject,
            context in
            let beginning = try await beginning?(subject)
            let received = try await receive(1...50, subject, context)
            var findings = Findings()
            if let beginning { findings.expectEqual(received.first, beginning, "\(name): the first event") }
            findings.expect(received, numbersUpTo: 50, in: self)
            return findings.violations
        }
    }

    private var oneEnd: Rule<Subject> {
        rule("STRM-02", "A stream ends once, and delivers nothing afterwards") { subject, context in
            let (arrived, arrive) = AsyncStream<Void>.makeStream()
            let (ended, end) = AsyncStream<Void>.makeStream()
            let (resumed, resume) = AsyncStream<Void>.makeStream()
            let events = stream(subject)
            let reader = context.task {
                var iterator = events.makeAsyncIterator()
                do {
                    while let event = try await iterator.next(isolation: nil) {
                        if number(event) == 1 || !hasNumbers { arrive.finish() }
                    }
                } catch {}
                end.finish()
                for await _ in resumed {}
                var later: [String] = []
                for _ in 1...3 {
                    do {
                        if let event = try await iterator.next(isolation: nil) { later.append("the event \(event)") }
                    } catch {
                        later.append("the error \(error)")
                    }
                }
                return later
            }
            defer { reader.cancel() }
            try await expectSubscribers(1, subject, context)
            try await vendor.send(subject, 1)
            try await context.within("the first of \(name)") { for await _ in arrived {} }
            try await expectSubscribers(1, subject, context)
            try await vendor.cause(subject, .loss)
            try await context.within("\(name) end when the connection is lost") { for await _ in ended {} }
            try await vendor.send(subject, 2)
            resume.finish()
            let later = try await context.within("\(name) that have ended answer") { try await reader.value }
            var findings = Findings()
            findings.expect(later.isEmpty, "\(name): after the end came \(later.joined(separator: ", "))")
            return findings.violations
        }
    }

    private var endings: Rule<Subject> {
        rule(
            "STRM-03",
            "A lost or truncated stream ends with an error, never as if it were complete",
            consultedHarnessCapabilities: [orderlyEnd]
        ) { subject, context in
            var findings = Findings()
            for incident in [StreamIncident.loss, .truncation, .end] {
                guard incident != .end || context.harnessCapabilities.contains(orderlyEnd) else { continue }
                let (listener, task) = try await listen(subject, context)
                defer { task.cancel() }
                try await vendor.cause(subject, incident)
                try await context.within("\(name) end after \(incident)") { try await listener.wait { _ in false } }
                switch listener.end {
                case .success where incident == .end && endsInOrder: break
                case .success, nil: findings.add("\(name): after \(incident) they end as if complete")
                case .failure(let error as CancellationError): findings.add("\(name): after \(incident): \(error)")
                case .failure(let error) where incident == .end && endsInOrder:
                    findings.add("\(name): the vendor ended them properly, and they throw \(error)")
                case .failure: break
                }
                try await expectSubscribers(0, subject, context)
            }
            return findings.violations
        }
    }

    private var nothingLost: Rule<Subject> {
        rule(
            "STRM-09",
            "No event is lost between the vendor's acknowledgement of a subscription and the first iteration"
        ) {
            subject,
            context in
            let events = stream(subject)
            try await expectSubscribers(1, subject, context)
            for number in 1...5 { try await vendor.send(subject, number) }
            let (listener, task) = StreamListener.start(events, context)
            defer { task.cancel() }
            try await expect(listener, toReceive: 5, context)
            var findings = Findings()
            findings.expect(listener.events, numbersUpTo: 5, in: self)
            return findings.violations
        }
    }

    private var resumes: Rule<Subject> {
        rule(
            "STRM-10",
            "After a lost connection the stream resumes without duplicates or gaps, or reports the gap",
            level: .optional,
            requires: [resume]
        ) { subject, context in
            let (listener, task) = try await listen(subject, context)
            defer { task.cancel() }
            for number in 1...5 { try await vendor.send(subject, number) }
            try await expect(listener, toReceive: 5, context)
            try await vendor.cause(subject, .loss)
            for number in 6...10 { try await vendor.send(subject, number) }
            try await expect(listener, toReceive: 10, context)
            var findings = Findings()
            findings.expect(listener.events, numbersUpTo: 10, in: self)
            return findings.violations
        }
    }

    private var anySplit: Rule<Subject> {
        rule("STRM-11", "The events do not depend on how the vendor's bytes are split, and keep-alives are not events")
        {
            subject,
            context in
            let (whole, first) = try await listen(subject, context)
            try await vendor.inject(subject, .trickle)
            let (split, second) = try await listen(subject, others: 1, context)
            defer {
                first.cancel()
                second.cancel()
            }
            for number in 1...5 {
                try await vendor.send(subject, number)
                if number == 2 { try await vendor.cause(subject, .heartbeat) }
            }
            for listener in [whole, split] { try await expect(listener, toReceive: 5, context) }
            var findings = Findings()
            findings.expectEqual(split.events, whole.events, "\(name), byte by byte")
            findings.expect(split.events, numbersUpTo: 5, in: self)
            return findings.violations
        }
    }
}
