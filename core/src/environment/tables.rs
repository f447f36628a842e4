//! The relational environment's tables: users, locations and foods.

pub struct User {
    pub id: i64,
    pub name: &'static str,
    pub email: &'static str,
    /// The id of a [`Location`].
    pub location: i64,
    pub favorite_color: &'static str,
    /// The ids of [`Food`]s.
    pub favorite_foods: &'static [i64],
}

pub struct Location {
    pub id: i64,
    pub city: &'static str,
    pub current_time: &'static str,
    pub current_weather: &'static str,
}

pub struct Food {
    pub id: i64,
    pub name: &'static str,
    pub calories: i64,
    pub allergic_ingredients: &'static [&'static str],
}

pub const USERS: &[User] = &[
    User {
        id: 1,
        name: "Alice",
        email: "alice@gmail.com",
        location: 1,
        favorite_color: "red",
        favorite_foods: &[1, 2, 3],
    },
    User {
        id: 21,
        name: "Bob",
        email: "bob@hotmail.com",
        location: 2,
        favorite_color: "orange",
        favorite_foods: &[4, 5, 6],
    },
    User {
        id: 35,
        name: "Charlie",
        email: "charlie@yahoo.com",
        location: 3,
        favorite_color: "yellow",
        favorite_foods: &[3, 7, 2],
    },
    User {
        id: 41,
        name: "Donna",
        email: "donna@example.com",
        location: 4,
        favorite_color: "green",
        favorite_foods: &[6, 1, 4],
    },
    User {
        id: 42,
        name: "Eve",
        email: "eve@example.org",
        location: 5,
        favorite_color: "blue",
        favorite_foods: &[5, 7, 4],
    },
    User {
        id: 43,
        name: "Frank The Cat",
        email: "frank.the.cat@langchain.dev",
        location: 5,
        favorite_color: "yellow",
        favorite_foods: &[3],
    },
];

pub const LOCATIONS: &[Location] = &[
    Location {
        id: 1,
        city: "New York",
        current_time: "2023-11-14 10:30 AM",
        current_weather: "Partly Cloudy, Temperature: 68°F",
    },
    Location {
        id: 2,
        city: "Los Angeles",
        current_time: "2023-11-14 7:45 AM",
        current_weather: "Sunny, Temperature: 75°F",
    },
    Location {
        id: 3,
        city: "Chicago",
        current_time: "2023-11-14 11:15 AM",
        current_weather: "Mostly Cloudy, Temperature: 60°F",
    },
    Location {
        id: 4,
        city: "Houston",
        current_time: "2023-11-14 12:00 PM",
        current_weather: "Rainy, Temperature: 55°F",
    },
    Location {
        id: 5,
        city: "Miami",
        current_time: "2023-11-14 1:20 PM",
        current_weather: "Partly Cloudy, Temperature: 80°F",
    },
];

pub const FOODS: &[Food] = &[
    Food { id: 1, name: "Pizza", calories: 285, allergic_ingredients: &["Gluten", "Dairy"] },
    Food { id: 2, name: "Chocolate", calories: 50, allergic_ingredients: &["Milk", "Soy"] },
    Food { id: 3, name: "Sushi", calories: 300, allergic_ingredients: &["Fish", "Soy"] },
    Food { id: 4, name: "Burger", calories: 350, allergic_ingredients: &["Gluten", "Dairy"] },
    Food { id: 5, name: "Ice Cream", calories: 200, allergic_ingredients: &["Dairy"] },
    Food { id: 6, name: "Pasta", calories: 180, allergic_ingredients: &["Gluten"] },
    Food { id: 7, name: "Salad", calories: 50, allergic_ingredients: &[] },
];
