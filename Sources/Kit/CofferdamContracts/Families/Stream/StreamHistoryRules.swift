// What was, and is no more.
extension StreamOperation {
    func tellsRemovals(_ removal: Removal) -> Rule<Subject> {
        rule(
            "STRM-12",
            "What is removed at the vendor is told as removed, once, and in its place among the other events"
        ) {
            subject,
            context in
            let (listener, task) = try await listen(subject, context)
            defer { task.cancel() }
            for number in 1...3 { try await vendor.send(subject, number) }
            try await expect(listener, toHear: 3, context)
            try await removal.remove(subject, 3)
            try await vendor.send(subject, 4)
            try await expect(listener, toHear: 4, context)
            // Whatever is told late has come by then.
            try await vendor.send(subject, 5)
            try await expect(listener, toHear: 5, context)
            var findings = Findings()
            let heard = listener.events
            let told = heard.indices.filter { removal.isRemoval(heard[$0]) }
            findings.expectEqual(told.count, 1, "\(name): how often a removal was told")
            if let place = told.first {
                let before = heard[..<place].compactMap(number).max() ?? 0
                findings.expectEqual(before, 3, "\(name): the event before the removal")
            }
            let rest = heard.filter { !removal.isRemoval($0) }
            findings.expect(rest, numbersUpTo: 5, in: self)
            return findings.violations
        }
    }

    var nothingOfBefore: Rule<Subject> {
        rule("STRM-13", "A new subscriber hears no event from before its subscription, however often it connects") {
            subject,
            context in
            var findings = Findings()
            // One who hears everything, so that a buffer of the adapter's has what was.
            let (witness, listening) = try await listen(subject, context)
            defer { listening.cancel() }
            var last = 0
            for connection in 1...3 {
                for _ in 1...3 {
                    last += 1
                    try await vendor.send(subject, last)
                }
                try await expect(witness, toHear: last, context)
                let (listener, task) = try await listen(subject, others: 1, context)
                defer { task.cancel() }
                last += 1
                try await vendor.send(subject, last)
                try await expect(listener, toHear: last, context)
                let single = listener.events.filter { !isWhole($0) }
                let numbers = single.map { number($0).map(String.init) ?? "\($0)" }
                findings.expect(
                    single.count == 1 && single.first.flatMap(number) == last,
                    "\(name), connection \(connection): only \(last) has happened since, and it heard \(numbers)"
                )
                task.cancel()
                try await expectSubscribers(1, subject, context)
            }
            return findings.violations
        }
    }
}
