import Configuration

/// The place of each setting, for messages about it.
struct SettingPlaces: Sendable, Equatable {
    private var words: [String: String] = [:]
    /// The settings that were made explicitly.
    private(set) var named: Set<String> = []

    /// The places of no setting at all.
    init() {}

    /// Finds the places.
    /// - Parameters:
    ///   - flags: The settings given on the command line, by key.
    ///   - environment: The process's environment.
    ///   - files: The files in rising precedence.
    init(flags: [String: ConfigValue], environment: [String: String], files: [ConfigurationFile]) {
        for key in DaemonConfiguration.keys.keys {
            let variable = "KAIRAN_" + key.uppercased().replacing("-", with: "_")
            if flags[key] != nil {
                named.insert(key)
            } else if environment[variable] != nil {
                words[key] = variable
            } else if let file = files.last(where: { $0.values[key] != nil }) {
                words[key] = file.place(of: key)
            }
        }
        named.formUnion(words.keys)
    }

    /// A refusal that names the setting, and the file and line or the variable that it comes from.
    /// - Parameters:
    ///   - key: The setting.
    ///   - reason: The rest of a sentence that begins with the setting.
    /// - Returns: The refusal.
    func refusal(_ key: String, _ reason: String) -> DaemonConfiguration.Refusal {
        let place = words[key].map { $0 + ": " } ?? ""
        return DaemonConfiguration.Refusal(description: "\(place)\(key)\(reason)")
    }

    /// Returns a refusal of a value, with the allowed values.
    /// - Parameters:
    ///   - key: The setting.
    ///   - value: The value, as words; never a secret.
    /// - Returns: The refusal.
    func refusal(_ key: String, value: String) -> DaemonConfiguration.Refusal {
        refusal(key, ": \(value) is not valid; allowed: \(DaemonConfiguration.keys[key]?.allowed ?? "")")
    }

    /// The place of a setting is no part of the setting: a line more above it changes nothing.
    static func == (_: SettingPlaces, _: SettingPlaces) -> Bool { true }
}
