import Cofferdam
@testable import CofferdamState
import Testing

@Suite struct SelectingProviderTests {
    struct Device: Identifiable, Hashable, Sendable, CustomTestStringConvertible {
        var id: String
        var signal = 0
        var isLinked = true
        var testDescription: String { "\(id)\(signal)\(isLinked ? "" : " unlinked")" }
    }

    private let rule = SelectionRule<Device>(where: \.isLinked, best: \.signal, ties: \.id)

    @Test(
        arguments: [
            ([], nil),
            ([Device(id: "a", isLinked: false)], nil),
            ([Device(id: "a"), Device(id: "b", signal: 1)], "b"),
            ([Device(id: "a", signal: 9, isLinked: false), Device(id: "b")], "b"),
            ([Device(id: "c", signal: 2), Device(id: "b", signal: 2), Device(id: "d", signal: 2)], "b"),
        ] as [([Device], String?)]
    )
    func `the choice depends on the candidates alone, in any order`(candidates: [Device], chosen: String?) {
        for shift in 0...candidates.count {
            let order = Array(candidates.dropFirst(shift) + candidates.prefix(shift))
            for order in [order, order.reversed()] {
                #expect(rule.choose(from: order)?.id == chosen)
                #expect(SelectingProvider(order, rule: rule).chosen?.id == chosen)
            }
        }
    }

    @Test func `losing the chosen one is an event, and so is the choice of the next`() {
        let a = Device(id: "a", signal: 2)
        let b = Device(id: "b", signal: 1)
        let selecting = SelectingProvider([a, b], rule: rule)
        var weaker = a
        weaker.signal = 1
        var weakest = a
        weakest.signal = 0
        var unlinked = a
        unlinked.isLinked = false
        let steps: [([Device], chosen: Device?, events: [SelectionEvent<Device>])] = [
            ([a, b], a, []),
            ([weaker, b], weaker, [.changed(weaker)]),
            ([weakest, b], b, [.chosen(b)]),
            ([a, b], a, [.chosen(a)]),
            ([unlinked, b], b, [.lost(a), .chosen(b)]),
            ([unlinked], nil, [.lost(b)]),
            ([], nil, []),
            ([a], a, [.chosen(a)]),
        ]
        for (step, (candidates, chosen, events)) in steps.enumerated() {
            let selection = selecting.set(candidates)
            #expect(selection == selecting.selection.current, "step \(step)")
            #expect(selection.chosen == chosen, "step \(step)")
            #expect(selection.events == events, "step \(step)")
        }
    }

    @Test func `each subscriber has every event, the current choice first`() async throws {
        let a = Device(id: "a")
        let b = Device(id: "b")
        let selecting = SelectingProvider([a], rule: rule)
        var early = selecting.events().makeAsyncIterator()
        selecting.set([b])
        var late = selecting.events().makeAsyncIterator()
        selecting.set([])
        for expected in [.current(a), .lost(a), .chosen(b), .lost(b)] as [SelectionEvent<Device>] {
            #expect(try await early.next() == expected)
        }
        for expected in [.current(b), .lost(b)] as [SelectionEvent<Device>] {
            #expect(try await late.next() == expected)
        }
    }

    @Test func `a slow subscriber gets the current choice instead of lost events`() async throws {
        let selecting = SelectingProvider<Device>(rule: rule)
        var events = selecting.events(limit: 2).makeAsyncIterator()
        for signal in 1...10 { selecting.set([Device(id: "a", signal: signal)]) }
        var last: SelectionEvent<Device>?
        repeat { last = try await events.next() } while last == .current(nil)
        #expect(last == .current(Device(id: "a", signal: 9)) || last == .current(Device(id: "a", signal: 10)))
    }
}
