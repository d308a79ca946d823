import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

extension PortPlace<SanctuarySubject, any Catalogue> {
    static let catalogue = PortPlace(\.services.catalogue) { Intercepted($0, by: $1) }
}

extension PortPlace<SanctuarySubject, any Photos> {
    static let photos = PortPlace(\.services.photos) { Intercepted($0, by: $1) }
}

extension PortPlace<SanctuarySubject, any Accessories> {
    static let accessories = PortPlace(\.services.accessories) { Intercepted($0, by: $1) }
}

extension PortPlace<SanctuarySubject, any Orders> {
    static let orders = PortPlace(\.services.orders) { Intercepted($0, by: $1) }
}

extension PortPlace<SanctuarySubject, any Messages> {
    static let messages = PortPlace(\.services.messages) { Intercepted($0, by: $1) }
}

extension PortPlace<SanctuarySubject, any Accounts> {
    static let accounts = PortPlace(\.services.accounts) { Intercepted($0, by: $1) }
}
