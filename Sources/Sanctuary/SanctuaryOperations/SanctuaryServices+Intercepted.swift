public import Cofferdam  // interceptors are the kit's
public import SanctuaryDomain  // what is intercepted are the domain's services

extension SanctuaryServices {
    /// Returns the same six ports with their calls intercepted; `close` is unchanged.
    ///
    /// - Parameter interceptors: the outermost first.
    public func intercepted(by interceptors: any PortInterceptor...) -> SanctuaryServices {
        var services = self
        services.catalogue = Intercepted(catalogue, by: interceptors)
        services.photos = Intercepted(photos, by: interceptors)
        services.accessories = Intercepted(accessories, by: interceptors)
        services.orders = Intercepted(orders, by: interceptors)
        services.messages = Intercepted(messages, by: interceptors)
        services.accounts = Intercepted(accounts, by: interceptors)
        return services
    }
}
