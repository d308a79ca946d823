import Cofferdam
import CofferdamUpgrade
import TestSupport

/// An element of a simulated stream, from a vendor or from the router.
enum SimulatedElement: Sendable, Hashable, CustomStringConvertible {
    case event(SimulatedEvent, isEcho: Bool)
    case acknowledged
    case replayEnded
    case gap(after: Int?, before: Int?)
    case recovered(SimulatedEvent)

    var number: Int? { if case .event(let event, _) = self { event.number } else { nil } }

    var description: String {
        switch self {
        case .event(let event, let isEcho): "\(event.number)\(event.deletes.map { "-\($0)" } ?? "")\(isEcho ? "e" : "")"
        case .acknowledged: "ack"
        case .replayEnded: "end"
        case .gap(let after, let before): "gap(\(after.map { "\($0)" } ?? "")…\(before.map { "\($0)" } ?? ""))"
        case .recovered(let event): "recovered(\(event.number))"
        }
    }
}

/// An event at the backend: a message, or the deletion of an earlier one.
struct SimulatedEvent: Sendable, Hashable {
    /// The position in the backend's order.
    var number: Int
    var deletes: Int?
    var isOwn = false

    func item(isEcho: Bool) -> StreamItem {
        if let deletes { return StreamItem("\(deletes)", .deletion) }
        let clientID = isOwn ? "own \(number)" : nil
        return StreamItem(isEcho ? "temporary \(number)" : "\(number)", clientID: clientID)
    }
}

extension StreamHandover<SimulatedElement> {
    /// - Parameter acknowledges: whether the sides say that they are subscribed.
    static func simulated(acknowledges: Bool) -> Self {
        let isFirst: @Sendable (SimulatedElement) -> Bool = { $0 == .acknowledged }
        let isAcknowledgement = acknowledges ? isFirst : nil
        let isEnd: @Sendable (SimulatedElement) -> Bool = { $0 == .replayEnded }
        return simulated(
            legacy: Beginning(acknowledges: isAcknowledgement),
            candidate: Beginning(acknowledges: isAcknowledgement, replay: .until(isEnd))
        )
    }

    static func simulated(legacy: Beginning, candidate: Beginning) -> Self {
        .items(
            legacy: legacy,
            candidate: candidate,
            gap: { gap in
                switch gap {
                case .missing(let after, let before): .element(.gap(after: after?.number, before: before?.number))
                case .recovered(.event(let event, _)): .element(.recovered(event))
                case .recovered: .nothing
                }
            },
            item: { element in
                guard case .event(let event, let isEcho) = element else { return nil }
                return event.item(isEcho: isEcho)
            }
        )
    }
}
