import CofferdamContracts
import SanctuaryDomain

struct AccountRecord: TapeRecord {
    var id: String
    var displayName: String
    var currency: String

    init(_ account: Account) {
        id = account.id
        displayName = account.displayName
        currency = account.currency.code
    }

    var value: Account {
        get throws { Account(id: id, displayName: displayName, currency: try Currency(recorded: currency)) }
    }
}

enum AccountStateRecord: TapeRecord {
    case unknown, signedOut
    case signedIn(account: AccountRecord)

    init(_ state: AccountState) {
        switch state {
        case .unknown: self = .unknown
        case .signedOut: self = .signedOut
        case .signedIn(let account): self = .signedIn(account: AccountRecord(account))
        }
    }

    var value: AccountState {
        get throws {
            switch self {
            case .unknown: .unknown
            case .signedOut: .signedOut
            case .signedIn(let account): .signedIn(try account.value)
            }
        }
    }
}
