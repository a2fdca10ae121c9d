import ArgumentParser
import Importing

/// Whether an import makes metadata and thumbnails, as written on the command line.
enum MetadataOption: String, ExpressibleByArgument, CaseIterable {
    case auto
    case require
    case none

    /// The choice for the import.
    var mode: Importer.MetadataMode {
        switch self {
        case .auto: .auto
        case .require: .require
        case .none: .none
        }
    }
}
