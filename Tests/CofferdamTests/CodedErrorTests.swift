import Cofferdam
import Testing

@Suite struct CodedErrorTests {
    struct ShopError: CodedError {
        struct Code: ErrorCode {
            let rawValue: String
            static let closed = Code(rawValue: "closed")
            static let full = Code(rawValue: "full")
        }

        let code: Code
        var description: String { "\(code)" }
    }

    /// Its code has the same text as one of the shop's.
    struct OtherError: CodedError {
        struct Code: ErrorCode { let rawValue: String }

        let code = Code(rawValue: "closed")
        var description: String { "other" }
    }

    private func caught(_ error: any Error) -> String {
        do { throw error } catch ShopError.Code.closed { return "closed" } catch ShopError.Code.full {
            return "full"
        } catch { return "else" }
    }

    @Test func `a catch can name the code of an error`() {
        #expect(caught(ShopError(code: .closed)) == "closed")
        #expect(caught(ShopError(code: .full)) == "full")
        #expect(caught(ShopError(code: .init(rawValue: "new"))) == "else")
    }

    @Test func `another error's equal text is not this code`() {
        #expect(caught(OtherError()) == "else")
        #expect(caught(CancellationError()) == "else")
    }

    @Test func `an error without a cause says so`() { #expect(ShopError(code: .full).cause == nil) }
}
