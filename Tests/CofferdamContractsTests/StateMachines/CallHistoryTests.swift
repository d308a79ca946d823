import CofferdamContracts
import Testing

/// Checks histories of a number that can be written, read and incremented.
@Suite struct CallHistoryTests {
    enum Command: Sendable, Hashable { case write(Int), read, increment }
    typealias History = CallHistory<Command, Int>

    private static func call(_ command: Command, _ answer: Int?, _ began: Int, _ ended: Int?) -> History.Call {
        History.Call(command, answer: answer, began: began, ended: ended)
    }

    @Sendable private static func answer(_ command: Command, _ state: inout Int) -> Int {
        switch command {
        case .write(let value): state = value
        case .read: break
        case .increment: state += 1
        }
        return state
    }

    static let cases: [(name: String, calls: [History.Call], isLinearizable: Bool)] = [
        ("nothing", [], true),
        ("one after the other", [call(.write(1), 1, 1, 2), call(.read, 1, 3, 4)], true),
        ("a read beside a write may be of before", [call(.write(1), 1, 1, 4), call(.read, 0, 2, 3)], true),
        ("a read beside a write may be of after", [call(.write(1), 1, 1, 4), call(.read, 1, 2, 3)], true),
        ("a read after a write may not be of before", [call(.write(1), 1, 1, 2), call(.read, 0, 3, 4)], false),
        (
            "what was new once is not old again",
            [call(.write(1), 1, 1, 6), call(.read, 1, 2, 3), call(.read, 0, 4, 5)], false
        ),
        ("two at once count to two", [call(.increment, 2, 1, 4), call(.increment, 1, 2, 3)], true),
        ("a lost update", [call(.increment, 1, 1, 4), call(.increment, 1, 2, 3)], false),
        ("what has not ended may have happened", [call(.write(1), nil, 1, nil), call(.read, 1, 2, 3)], true),
        ("what has not ended may not have happened", [call(.write(1), nil, 1, nil), call(.read, 0, 2, 3)], true),
        (
            "what has not ended happens once",
            [call(.increment, nil, 1, nil), call(.read, 1, 2, 3), call(.read, 2, 4, 5)], false
        ),
        (
            "a dozen at once",
            (0..<6).map { call(.increment, 6 - $0, $0, 20 - $0) } + (0..<6).map { call(.read, 6, 30 + $0, 40 + $0) },
            true
        ),
    ]

    @Test(arguments: cases.indices)
    func `a history is linearizable if some order explains it`(_ index: Int) {
        let (name, calls, isLinearizable) = Self.cases[index]
        let order = History(calls).linearization(from: 0, answer: Self.answer)
        #expect((order != nil) == isLinearizable, "\(name)")
        guard let order else { return }
        var state = 0
        for call in order {
            let expected = Self.answer(call.command, &state)
            #expect(call.answer == nil || call.answer == expected, "\(name)")
        }
        for (earlier, later) in zip(order, order.dropFirst()) {
            #expect(earlier.began < later.ended ?? .max, "\(name): an order against time")
        }
    }

    @Test func `a dozen calls that no order explains are not linearizable`() {
        let calls = (0..<11).map { Self.call(.increment, 100, $0, 50 + $0) } + [Self.call(.read, 3, 70, 71)]
        #expect(History(calls).linearization(from: 0, answer: Self.answer) == nil)
    }

    @Test func `a history reads in the order of its beginnings`() {
        let history = History([Self.call(.read, nil, 3, nil), Self.call(.write(1), 1, 1, 2)])
        #expect("\(history)" == "[1–2] write(1) → 1; [3–…] read → no answer")
    }
}
