import Cofferdam

extension LifecycleOperation {
    /// At least one for each of the ``rules`` that can be run at all. A mutant that is found only when its rule's time
    /// is up runs with one call alone.
    public var mutants: [Mutant<Subject>] {
        let alone = calls.filter { !needingSession.contains($0.name) }
        let waiting = alone.first.flatMap { call in waitsForVendor.map { [$0.of(call.name)] } } ?? []
        return waiting
            + Mutant.each(alone.map { call in (call.name, hidesAbsence(of: call).map { [$0] } ?? []) })
            + [waitsForAnswers] + calls.map { answersAfterEnd($0) }
            + Mutant.each(calls.filter(canCross).map { ($0.name, [keepsOneSlot($0)]) })
            + Mutant.each([(Self.twoInstances, instances.map { [opensTheSame($0)] } ?? [])])
    }

    private var waitsForVendor: Mutant<Subject>? {
        opening.nowhere.map { nowhere in
            Mutant("LIFE-01", "waits for the vendor before it opens") { subject, effect in
                nowhere.replaced(in: subject) { clean, address in
                    effect.occurred()
                    await untilCancelled()
                    return try await clean(address)
                }
            }
        }
    }

    private func hidesAbsence(of call: ProbedCall<Subject>) -> Mutant<Subject>? {
        opening.nowhere.map { nowhere in
            Mutant("LIFE-01", "reports a missing vendor by an error of its own") { subject, effect in
                nowhere.replaced(in: subject) { clean, address in
                    call.call.decorated(in: try await clean(address)) { clean in
                        do {
                            return try await clean()
                        } catch {
                            effect.occurred()
                            throw Deviation("there is no connection")
                        }
                    }
                }
            }
        }
    }

    private var waitsForAnswers: Mutant<Subject> {
        Mutant("LIFE-02", "waits for the vendor's answers before it closes") { subject, effect in
            let waited = Mutex(false)
            return opening.close.replaced(in: subject) { clean, _ in
                // Once is enough: cleaning up must come to an end.
                let isFirst = waited.withLock { waited in
                    defer { waited = true }
                    return !waited
                }
                if isFirst {
                    effect.occurred()
                    await untilCancelled()
                }
                try await clean(())
            }
        }
    }

    private func answersAfterEnd(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("LIFE-02", "answers \(call.name) from memory after it is closed") { subject, effect in
            let last = Mutex<(any Sendable)?>(nil)
            return call.call.decorated(in: subject) { clean in
                do {
                    let answer = try await clean()
                    last.withLock { $0 = answer }
                    return answer
                } catch {
                    guard let answer = last.withLock({ $0 }) else { throw error }
                    effect.occurred()
                    return answer
                }
            }
        }
    }

    private func keepsOneSlot(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("LIFE-03", "keeps the answers of concurrent calls in one slot") { subject, effect in
            let state = Mutex<(running: Int, slot: (any Sendable)?)>((0, nil))
            return call.call.decorated(in: subject) { clean in
                state.withLock { $0.running += 1 }
                let result: Result<any Sendable, any Error>
                do { result = .success(try await clean()) } catch { result = .failure(error) }
                let isAlone = state.withLock { state in
                    state.running -= 1
                    return state.running == 0
                }
                let answer = try result.get()
                let other = state.withLock { state in
                    defer { state.slot = answer }
                    return state.slot
                }
                guard !isAlone, let other, "\(call.comparable(other))" != "\(call.comparable(answer))" else {
                    return answer
                }
                effect.occurred()
                return other
            }
        }
    }

    private func opensTheSame(_ instances: Instances) -> Mutant<Subject> {
        Mutant("LIFE-03", "opens the same instance again") { subject, effect in
            instances.another.replaced(in: subject) { _, _ in
                effect.occurred()
                return subject
            }
        }
    }
}
