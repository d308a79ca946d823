#if Sandbox
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryRouting
import Testing

@Suite struct ErrorClassifierTests {
    /// The meaning of each error for its side, with the reason.
    private static let meanings: [(code: SanctuaryError.Code, meaning: FailureMeaning, why: Comment)] = [
        (.notFound, .answer, "the vendor was asked"),
        (.forbidden, .answer, "the vendor knows the user, and says no"),
        (.invalidRequest, .answer, "the request is wrong for either side"),
        (.conflict, .answer, "what the vendor has contradicts it"),
        (.invalidCursor, .answer, "the cursor is that side's alone"),
        (.authenticationRequired, .answer, "the other side may still know who has signed out here"),
        (.unreachable, .unsent, "the vendor could not be asked; adapters know if a change was sent"),
        (.unsupported, .unsent, "adapters say so before anything is sent"),
        (.closed, .unsent, "nothing is sent by who is closed"),
        (.rateLimited, .failed, "the vendor has refused, and done nothing"),
        (.unavailable, .outcomeUnknown, "the vendor had it, and may have done it before it failed"),
        (.timeout, .outcomeUnknown, "the vendor may have it"),
        (.truncated, .outcomeUnknown, "the vendor has answered, so it may have done it"),
        (.decoding, .outcomeUnknown, "the vendor has answered, so it may have done it"),
        (.outcomeUnknown, .outcomeUnknown, "it says so"),
        (.unknown, .outcomeUnknown, "nothing is known, so the worst is"),
    ]

    @Test func `each code has the meaning for its side that is listed`() {
        for (code, meaning, why) in Self.meanings {
            #expect(ErrorClassifier.sanctuary.meaning(SanctuaryError(code, "made up")) == meaning, "\(code): \(why)")
        }
    }

    @Test func `an unknown code and a foreign error are taken for the worst`() {
        let stranger = SanctuaryError(.init(rawValue: "brandNew"), "made up")
        #expect(ErrorClassifier.sanctuary.meaning(stranger) == .outcomeUnknown)
        #expect(ErrorClassifier.sanctuary.meaning(StageError.unknownStage("x", in: "y")) == .outcomeUnknown)
    }

    @Test func `a message that was not sent is kept, and is not for the other side to send`() {
        for (code, meaning, _) in Self.meanings {
            let expected = code == .unreachable ? .outcomeUnknown : meaning
            #expect(ErrorClassifier.sanctuaryMessages.meaning(SanctuaryError(code, "made up")) == expected, "\(code)")
        }
    }

    @Test func `an error is compared by its code, and shows nothing else`() {
        let error = SanctuaryError(.notFound, "no animal of amara's", subject: "amara")
        #expect(ErrorClassifier.sanctuary.kind(error) == "notFound")
    }
}
#endif
