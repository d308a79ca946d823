import Cofferdam
import CofferdamRehearsal
import SanctuaryDomain
import SanctuaryOperations

/// The ports that the rehearsal's traffic uses, with a scenario's faults in their calls' way.
func faultyServices(_ clean: SanctuaryServices, _ faults: FaultInjector) -> SanctuaryServices {
    var services = clean
    services.catalogue = Intercepted(clean.catalogue, by: [faults])
    services.photos = Intercepted(clean.photos, by: [faults])
    services.orders = Intercepted(clean.orders, by: [faults])
    services.messages = Intercepted(clean.messages, by: [faults])
    return services
}
