//! Tables of users, locations and foods, and the tools that look things up in them.

use std::collections::BTreeSet;

use super::observation::Observation;
use super::tables::{FOODS, Food, LOCATIONS, Location, USERS, User};
use super::tool::{Action, Tool};
use crate::domain::{Json, Number, Object};

/// Who is asking, of the table of users.
const CURRENT_USER: i64 = 35;

pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_user_name",
        description: "Get the name of the user with the given user ID.\n\n        Args:\n            user_id: The user's ID.\n\n        Returns:\n            The user's name.",
        action: Action::Lookup(Lookup::User(|user| Json::from(user.name))),
    },
    Tool { name: "list_user_ids", description: "List all the user IDs.", action: Action::Constant(user_ids) },
    Tool {
        name: "find_users_by_name",
        description: "Find users with the given name.\n\n        Args:\n            name: The name to search for.\n\n        Returns:\n            The list of matching users.",
        action: Action::Search("name", |query| {
            similar(query, "name", USERS.iter().map(|user| (user.id, user.name)))
        }),
    },
    Tool {
        name: "find_locations_by_name",
        description: "Find locations with the given city name.",
        action: Action::Search("city", |query| {
            similar(query, "city", LOCATIONS.iter().map(|place| (place.id, place.city)))
        }),
    },
    Tool {
        name: "find_foods_by_name",
        description: "Find foods with the given name.",
        action: Action::Search("food", |query| {
            similar(query, "name", FOODS.iter().map(|food| (food.id, food.name)))
        }),
    },
    Tool {
        name: "get_user_email",
        description: "Get the email of the user with the given user ID.\n\n        Args:\n            user_id: The user's ID.\n\n        Returns:\n            The user's email.",
        action: Action::Lookup(Lookup::User(|user| Json::from(user.email))),
    },
    Tool {
        name: "get_user_location",
        description: "Get the location ID of the user with the given user ID.\n\n        Args:\n            user_id: The user's ID.\n\n        Returns:\n            The user's location ID.",
        action: Action::Lookup(Lookup::User(|user| integer(user.location))),
    },
    Tool {
        name: "get_user_favorite_color",
        description: "Get the favorite color of the user with the given user ID.\n\n        Args:\n            user_id: The user's ID.\n\n        Returns:\n            The user's favorite color.",
        action: Action::Lookup(Lookup::User(|user| Json::from(user.favorite_color))),
    },
    Tool {
        name: "get_user_favorite_foods",
        description: "Get the list of favorite foods of the user with the given user ID.\n\n        Args:\n            user_id: The user's ID.\n\n        Returns:\n            The list of favorite foods.",
        action: Action::Lookup(Lookup::User(|user| integers(user.favorite_foods))),
    },
    Tool {
        name: "get_weather_at_location",
        description: "Get the current weather at the location with the given location ID.\n\n        Args:\n            location_id: The location's ID.\n\n        Returns:\n            The current weather at the location.",
        action: Action::Lookup(Lookup::Location(|place| Json::from(place.current_weather))),
    },
    Tool {
        name: "get_city_for_location",
        description: "Get the city for the location with the given location ID.\n\n        Args:\n            location_id: The location's ID.\n\n        Returns:\n            The city name for the location.",
        action: Action::Lookup(Lookup::Location(|place| Json::from(place.city))),
    },
    Tool {
        name: "get_current_time_for_location",
        description: "Get the current time for the location with the given location ID.\n\n        Args:\n            location_id: The location's ID.\n\n        Returns:\n            The current time for the location.",
        action: Action::Lookup(Lookup::Location(|place| Json::from(place.current_time))),
    },
    Tool {
        name: "get_current_weather_for_location",
        description: "Get the current weather for the location with the given location ID.\n\n        Args:\n            location_id: The location's ID.\n\n        Returns:\n            The current weather for the location.",
        action: Action::Lookup(Lookup::Location(|place| Json::from(place.current_weather))),
    },
    Tool {
        name: "get_food_name",
        description: "Get the name of the food with the given food ID.\n\n        Args:\n            food_id: The food's ID.\n\n        Returns:\n            The name of the food.",
        action: Action::Lookup(Lookup::Food(|food| Json::from(food.name))),
    },
    Tool {
        name: "get_food_calories",
        description: "Get the calories per serving for the food with the given food ID.\n\n        Args:\n            food_id: The food's ID.\n\n        Returns:\n            The calories per serving of the food.",
        action: Action::Lookup(Lookup::Food(|food| integer(food.calories))),
    },
    Tool {
        name: "get_food_allergic_ingredients",
        description: "Get the list of allergic ingredients for the food with the given food ID.\n\n        Args:\n            food_id: The food's ID.\n\n        Returns:\n            The list of allergic ingredients.",
        action: Action::Lookup(Lookup::Food(|food| texts(food.allergic_ingredients))),
    },
    Tool {
        name: "get_current_user_id",
        description: "Get the current user's ID.\n\n        Returns:\n            The current user's ID.",
        action: Action::Constant(|| Observation::Value(integer(CURRENT_USER))),
    },
];

/// What is read of a row that is found by its id.
#[derive(Clone, Copy)]
pub enum Lookup {
    User(fn(&User) -> Json),
    Location(fn(&Location) -> Json),
    Food(fn(&Food) -> Json),
}

impl Lookup {
    /// The name of the argument that has the id.
    pub fn field(self) -> &'static str {
        match self {
            Lookup::User(_) => "user_id",
            Lookup::Location(_) => "location_id",
            Lookup::Food(_) => "food_id",
        }
    }

    /// What is read of the row with this id; `written` is how the id is shown if there is no such row.
    pub fn resolve(self, id: Option<i64>, written: &str) -> Observation {
        let (table, found) = match self {
            Lookup::User(read) => ("User", USERS.iter().find(|user| Some(user.id) == id).map(read)),
            Lookup::Location(read) => {
                ("Location", LOCATIONS.iter().find(|place| Some(place.id) == id).map(read))
            }
            Lookup::Food(read) => ("Food", FOODS.iter().find(|food| Some(food.id) == id).map(read)),
        };
        match found {
            Some(value) => Observation::Value(value),
            None => Observation::text(format!("{table} ID {written} cannot be resolved")),
        }
    }
}

/// All rows, by their ids and their `key`: first those whose characters are most like the query's (Jaccard's index), and in the
/// order of the table where they are equally like them.
fn similar(query: &str, key: &str, rows: impl Iterator<Item = (i64, &'static str)>) -> Observation {
    let wanted: BTreeSet<char> = query.chars().collect();
    let likeness = |value: &str| {
        let has: BTreeSet<char> = value.chars().collect();
        let (common, all) = (wanted.intersection(&has).count(), wanted.union(&has).count());
        common as f64 / all as f64
    };
    let mut rows: Vec<_> = rows.map(|(id, value)| (likeness(value), id, value)).collect();
    rows.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
    let row = |(_, id, value)| {
        let mut row = Object::new();
        row.insert("id", integer(id));
        row.insert(key, value);
        Json::Object(row)
    };
    Observation::Value(Json::Array(rows.into_iter().map(row).collect()))
}

fn integer(value: i64) -> Json {
    Json::Number(Number::from(value))
}

fn integers(values: &[i64]) -> Json {
    Json::Array(values.iter().copied().map(integer).collect())
}

fn texts(values: &[&str]) -> Json {
    Json::Array(values.iter().copied().map(Json::from).collect())
}

fn user_ids() -> Observation {
    Observation::Value(Json::Array(USERS.iter().map(|user| integer(user.id)).collect()))
}
