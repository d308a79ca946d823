extension LifecycleOperation {
    /// LIFE-01 to LIFE-03.
    public var rules: [Rule<Subject>] { [startsWithoutVendor, endsWithoutVendor, neverCross] }

    private var startsWithoutVendor: Rule<Subject> {
        Rule(
            "LIFE-01",
            "An instance that is opened where no vendor is settles, and says that it cannot be reached",
            powers: opening.powers,
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            guard let nowhere = opening.nowhere, let id = try await seed(subject, 1).first?.id else {
                findings.add("nothing was seeded")
                return findings.violations
            }
            let other = try await context.within("an instance without a vendor") {
                try await nowhere(subject, .refused)
            }
            do {
                let item = try await context.within("an answer without a vendor") { try await call(other, id) }
                findings.add("\(call.name) without a vendor: expected an error, got \(item)")
            } catch let error as BoundExceeded {
                throw error
            } catch {
                findings.expect(isUnreachable(error), "\(call.name) without a vendor: got \(error)")
            }
            try await context.within("the end of an instance without a vendor") { try await opening.close(other, ()) }
            return findings.violations
        }
    }

    private var endsWithoutVendor: Rule<Subject> {
        Rule(
            "LIFE-02",
            "Closing is prompt although the vendor does not answer, ends what goes on, and may be done again",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            guard let id = try await seed(subject, 1).first?.id else {
                findings.add("nothing was seeded")
                return findings.violations
            }
            try await hold(subject)
            let held = context.task { try await call(subject, id) }
            defer { held.cancel() }
            try await context.within("the call reaches the vendor") { try await waitForCalls(subject, 1) }
            try await context.within("the end") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 { group.addTask { try await opening.close(subject, ()) } }
                    try await group.waitForAll()
                }
            }
            if case .success(let item) = try await context.within("the end of the call", { await held.result }) {
                findings.add("\(call.name): the vendor has not answered, and the result is \(item)")
            }
            try await context.within("the second end") { try await opening.close(subject, ()) }
            do {
                let item = try await context.within("an answer after the end") { try await call(subject, id) }
                findings.add("\(call.name) after the end: expected an error, got \(item)")
            } catch let error as BoundExceeded {
                throw error
            } catch {}
            return findings.violations
        }
    }

    private var neverCross: Rule<Subject> {
        Rule(
            "LIFE-03",
            "Answers of parallel calls never cross, and two instances share no state",
            consults: [instances]
        ) { subject, context in
            var findings = Findings()
            let seeded = try await seed(subject, 50)
            let answers = try await withThrowingTaskGroup(of: (ID, Item, Item).self) { group in
                for (id, item) in seeded { group.addTask { (id, item, try await call(subject, id)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (id, expected, answer) in answers where expected != answer {
                findings.add("\(call.name): asked for \(id), got \(answer)")
            }
            guard let another, context.capabilities.contains(instances) else { return findings.violations }
            let other = try await another(subject, ())
            do {
                if let shared = try await sharedState(subject, other) { findings.add(shared) }
            } catch {
                try await opening.close(other, ())
                throw error
            }
            try await opening.close(other, ())
            return findings.violations
        }
    }
}
