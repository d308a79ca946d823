#if Sandbox
import Cofferdam
import CofferdamSupport
import SanctuaryDomain

/// The account state, as the commands print it.
struct AccountOutput: Encodable {
    let state: String
    var id: String?
    var displayName: String?
    var currency: String?

    init(_ state: AccountState) {
        switch state {
        case .unknown: self.state = "unknown"
        case .signedOut: self.state = "signedOut"
        case .signedIn(let account):
            self.state = "signedIn"
            id = account.id
            displayName = account.displayName
            currency = account.currency.code
        }
    }

    static func text(_ state: AccountState) -> String {
        switch state {
        case .unknown: "not known yet\n"
        case .signedOut: "signed out\n"
        case .signedIn(let account):
            "signed in as \(account.displayName.escapedForTerminal) (\(account.id.escapedForTerminal)), "
                + "in \(account.currency.code)\n"
        }
    }
}
#endif
