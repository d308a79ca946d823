public import CofferdamUpgrade  // a reading is the kit's
import SanctuaryDomain

extension ErrorClassifier {
    /// What each of the ports' errors says of the side that threw it.
    public static let sanctuary = ErrorClassifier(
        meaning: { FailureMeaning(($0 as? SanctuaryError)?.code ?? .unknown) },
        kind: { ($0 as? SanctuaryError)?.code.rawValue ?? String(describing: type(of: $0)) }
    )

    /// A message that could not be sent is kept on the device, and goes out later as it is: sent on the other side as well, it
    /// would come twice. So a side that was not reached has not left it undone.
    public static let sanctuaryMessages = ErrorClassifier(
        meaning: {
            let meaning = sanctuary.meaning($0)
            return meaning == .unsent && ($0 as? SanctuaryError)?.code == .unreachable ? .outcomeUnknown : meaning
        },
        kind: sanctuary.kind
    )
}

extension FailureMeaning {
    /// Codes that are not known are taken for the worst: nothing is repeated.
    init(_ code: SanctuaryError.Code) {
        self = Self.meanings[code] ?? .outcomeUnknown
    }

    private static let meanings: [SanctuaryError.Code: FailureMeaning] = [
        // The vendor has said so, and it would say the same to the other SDK.
        .notFound: .answer,
        .forbidden: .answer,
        .invalidRequest: .answer,
        .conflict: .answer,
        // The other SDK may still have a session: a user who signed out on one side must not be answered by the other.
        .authenticationRequired: .answer,
        // Each side's cursors are its own.
        .invalidCursor: .answer,
        // Adapters say `outcomeUnknown` where something may have been sent that changes anything.
        .unreachable: .unsent,
        .unsupported: .unsent,
        .closed: .unsent,
        // The vendor was asked, and has refused for its own reasons.
        .rateLimited: .failed,
        // Something was sent. A change may have been made; a read may be repeated.
        .unavailable: .outcomeUnknown,
        .timeout: .outcomeUnknown,
        .truncated: .outcomeUnknown,
        .decoding: .outcomeUnknown,
        .outcomeUnknown: .outcomeUnknown,
        .unknown: .outcomeUnknown,
    ]
}
