import Cofferdam
package import SanctuaryDomain  // of the domain's values

package struct AccountRecord: TapeRecord {
    var id: String
    var displayName: String
    var currency: String

    package init(_ account: Account) {
        id = account.id
        displayName = account.displayName
        currency = account.currency.code
    }

    package var value: Account {
        get throws { Account(id: id, displayName: displayName, currency: try Currency(recorded: currency)) }
    }
}

package enum AccountStateRecord: TapeRecord {
    case unknown, signedOut
    case signedIn(account: AccountRecord)

    package init(_ state: AccountState) {
        switch state {
        case .unknown: self = .unknown
        case .signedOut: self = .signedOut
        case .signedIn(let account): self = .signedIn(account: AccountRecord(account))
        }
    }

    package var value: AccountState {
        get throws {
            switch self {
            case .unknown: .unknown
            case .signedOut: .signedOut
            case .signedIn(let account): .signedIn(try account.value)
            }
        }
    }
}
