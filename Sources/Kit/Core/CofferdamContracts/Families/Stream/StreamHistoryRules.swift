// Rules about removals and past events.
extension StreamOperation {
    func deliversRemovals(_ removal: Removal) -> Rule<Subject> {
        rule(
            "STRM-12",
            "A removal at the vendor is delivered as a removal, once, and in order"
        ) {
            subject,
            context in
            let (listener, task) = try await listen(subject, context)
            defer { task.cancel() }
            for number in 1...3 { try await vendor.send(subject, number) }
            try await expect(listener, toReceive: 3, context)
            try await removal.remove(subject, 3)
            try await vendor.send(subject, 4)
            try await expect(listener, toReceive: 4, context)
            // Late events have arrived by then.
            try await vendor.send(subject, 5)
            try await expect(listener, toReceive: 5, context)
            var findings = Findings()
            let received = listener.events
            let removals = received.indices.filter { removal.isRemoval(received[$0]) }
            findings.expectEqual(removals.count, 1, "\(name): how often a removal was delivered")
            if let place = removals.first {
                let before = received[..<place].compactMap(number).max() ?? 0
                findings.expectEqual(before, 3, "\(name): the event before the removal")
            }
            let rest = received.filter { !removal.isRemoval($0) }
            findings.expect(rest, numbersUpTo: 5, in: self)
            return findings.violations
        }
    }

    var noPastEvents: Rule<Subject> {
        rule("STRM-13", "A new subscriber receives no event from before its subscription, however often it reconnects")
        {
            subject,
            context in
            var findings = Findings()
            // A subscriber that receives everything, so that the adapter's buffer, if any, has the past events.
            let (witness, listening) = try await listen(subject, context)
            defer { listening.cancel() }
            var last = 0
            for connection in 1...3 {
                for _ in 1...3 {
                    last += 1
                    try await vendor.send(subject, last)
                }
                try await expect(witness, toReceive: last, context)
                let before = last
                let (listener, task) = try await listen(subject, others: 1, context)
                defer { task.cancel() }
                // Whether an acknowledged subscription misses anything is another rule's concern (STRM-09).
                repeat {
                    last += 1
                    try await vendor.send(subject, last)
                    try await expect(witness, toReceive: last, context)
                } while listener.events.allSatisfy(isWhole) && last < before + 50
                try await context.within("connection \(connection) to \(name) receives something") {
                    try await listener.wait { !isWhole($0) }
                }
                let past = listener.events.filter { !isWhole($0) && number($0) ?? 0 <= before }
                findings.expect(
                    past.isEmpty,
                    "\(name), connection \(connection): received \(past.map { "\($0)" }), from before"
                )
                task.cancel()
                try await expectSubscribers(1, subject, context)
            }
            return findings.violations
        }
    }
}
