public import CofferdamUpgrade  // a classifier is the kit's
import SanctuaryDomain

extension ErrorClassifier {
    /// Classifies the ports' errors by what they mean for the side that threw them.
    public static let sanctuary = ErrorClassifier(
        meaning: { FailureMeaning(($0 as? SanctuaryError)?.code ?? .unknown) },
        kind: { ($0 as? SanctuaryError)?.code.rawValue ?? String(describing: type(of: $0)) }
    )

    /// Classifies the errors of messages. A message that could not be sent is stored on the device and sent later.
    /// Sending it on the other side too would duplicate it, so an unreachable side does not count as unsent.
    public static let sanctuaryMessages = ErrorClassifier(
        meaning: {
            let meaning = sanctuary.meaning($0)
            return meaning == .unsent && ($0 as? SanctuaryError)?.code == .unreachable ? .outcomeUnknown : meaning
        },
        kind: sanctuary.kind
    )
}

extension FailureMeaning {
    /// Creates the class of a code. An unknown code gets the worst one, so that nothing is repeated.
    init(_ code: SanctuaryError.Code) {
        self = Self.meanings[code] ?? .outcomeUnknown
    }

    private static let meanings: [SanctuaryError.Code: FailureMeaning] = [
        // The vendor answered, and would give the other SDK the same answer.
        .notFound: .answer,
        .forbidden: .answer,
        .invalidRequest: .answer,
        .conflict: .answer,
        // The other SDK may still have a session: a user who signed out on one side must not be answered by the other.
        .authenticationRequired: .answer,
        // A cursor is valid only on the side that issued it.
        .invalidCursor: .answer,
        // Adapters throw `outcomeUnknown` instead if a change may have been sent.
        .unreachable: .unsent,
        .unsupported: .unsent,
        .closed: .unsent,
        // The vendor received the call and refused it for its own reasons.
        .rateLimited: .failed,
        // The call was sent: a change may have been made, and a read may be repeated.
        .unavailable: .outcomeUnknown,
        .timeout: .outcomeUnknown,
        .truncated: .outcomeUnknown,
        .decoding: .outcomeUnknown,
        .outcomeUnknown: .outcomeUnknown,
        .unknown: .outcomeUnknown,
    ]
}
