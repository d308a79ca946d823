import CofferdamCurl
import HTTPTypes
import Load

await Load.run { options in
    switch options.variant {
    case "default": try CofferdamLoad(options, isOnLoop: false)
    case "onloop": try CofferdamLoad(options, isOnLoop: true)
    default: nil
    }
}
