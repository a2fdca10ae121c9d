import Wire

/// The planted bugs by their names, for the options of the simulator's program.
package enum Planting {
    /// All of them.
    package static var names: [String] { PlantedBug.allCases.map(\.rawValue) }

    /// Makes this process make a mistake.
    /// - Parameter name: The bug; `nil` for none.
    /// - Returns: False if there is no such bug.
    package static func activate(_ name: String?) -> Bool {
        let bug = name.flatMap { PlantedBug(rawValue: $0) }
        unsafe PlantedBug.active = bug
        return (bug == nil) == (name == nil)
    }
}
